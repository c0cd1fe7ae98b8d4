from fmrl_ros.language.chat_request import to_give_up, without

SYSTEM, USER = {"role": "system", "content": "Choose."}, {"role": "user", "content": "Robot:"}
REQUEST = {"max_tokens": 4, "temperature": 0.0, "logprobs": True, "top_logprobs": 10}
NOTHING = frozenset[str]()


def test_what_a_refusal_names_is_given_up():
    assert to_give_up([SYSTEM, USER], REQUEST, NOTHING, "'max_tokens' is not supported") == {"max_tokens"}
    assert to_give_up([SYSTEM, USER], REQUEST, NOTHING, "System role not supported") == {"system"}
    assert to_give_up([SYSTEM, USER], REQUEST, NOTHING, "this model gives no logprobs") == {"logprobs"}


def test_where_a_refusal_names_nothing_one_thing_after_the_other_is_given_up():
    assert to_give_up([SYSTEM, USER], REQUEST, NOTHING, "status 500") == {"system"}
    assert to_give_up([SYSTEM, USER], REQUEST, frozenset({"system"}), "status 500") == {"logprobs"}
    assert to_give_up([SYSTEM, USER], REQUEST, frozenset({"system", "logprobs"}), "status 500") == NOTHING
    assert to_give_up([USER], {"max_tokens": 4}, NOTHING, "status 500") == NOTHING


def test_nothing_is_changed_before_anything_is_given_up():
    assert without(NOTHING, [SYSTEM, USER], REQUEST) == ([SYSTEM, USER], REQUEST)


def test_the_words_of_the_system_begin_the_users_first_message_instead():
    answer = {"role": "assistant", "content": "hm"}
    messages, _ = without(frozenset({"system"}), [SYSTEM, USER, answer], {})
    assert messages == [{"role": "user", "content": "Choose.\n\nRobot:"}, answer]
    pictures = {"role": "user", "content": [{"type": "image_url"}]}
    ((message,), _) = without(frozenset({"system"}), [SYSTEM, pictures], {})
    assert message["content"] == [{"type": "text", "text": "Choose."}, {"type": "image_url"}]
    assert without(frozenset({"system"}), [USER], {})[0] == [USER]


def test_parameters_are_renamed_or_left_out():
    _, request = without(frozenset({"max_tokens", "temperature", "logprobs"}), [USER], REQUEST)
    assert request == {"max_completion_tokens": 4}
