import numpy as np
import pytest
import tiny_model
from peft import LoraConfig, get_peft_model
from scripted_model import Scripted
from transformers import AutoModelForCausalLM

from fmrl_ros.cli.checks import check_language_model
from fmrl_ros.language.fallback import WithFallback
from fmrl_ros.language.language_model import LanguageModelError
from fmrl_ros.language.weights import WeightsError
from fmrl_ros.planning import by_name
from fmrl_ros.planning.prompt import EXAMPLES
from fmrl_ros.planning.symbolic_embodiment import SymbolicEmbodiment
from fmrl_ros.plugins import UnknownNameError
from fmrl_ros.worlds.kitchen import start_state
from fmrl_ros.worlds.world import load_world

WORLD = load_world("tabletop")


def test_the_second_of_two_answers_when_the_first_does_not(monkeypatch):
    class Local:
        name = "local"

        def score(self, prompt, options):
            assert not prompt.startswith(EXAMPLES)
            return np.zeros(len(options))

    load = by_name.load_planner_model

    def loaded(name, *others):
        return by_name.PlannerModel(Local(), "") if name == "tuned" else load(name, *others)

    monkeypatch.setattr(by_name, "load_planner_model", loaded)
    both = load("openai:any@http://127.0.0.1:9/v1 | tuned", WORLD)
    both.language_model._first._server.client.max_retries = 0
    assert both.preamble == EXAMPLES
    assert len(both.language_model.score(EXAMPLES + "Task: go\nRobot:", [" done\n"])) == 1


def test_while_the_first_model_is_silent_the_second_gets_prompts_of_its_own_format():
    class Silent:
        name = "silent"

        def score(self, prompt, options):
            raise LanguageModelError("silent does not answer")

    first, second = Silent(), Scripted("done", said="apple to table")
    both = by_name.PlannerModel(WithFallback(first, second), "", second=by_name.PlannerModel(second, "", explains=True))
    start = start_state(load_world("kitchen"), {"robot_at": "user", "objects": {"apple": "table"}})
    planner = by_name.make_planner("saycan", both, start.world)
    planner.run("put the apple on the table", SymbolicEmbodiment(start))
    assert second.prompts and "Explanation" not in second.prompts[-1]
    assert planner.run("put the apple on the table", SymbolicEmbodiment(start)).reason == "it is so already"


def test_a_folder_may_have_a_plus_sign(tmp_path):
    folder = tmp_path / "c++"
    folder.symlink_to(tiny_model.folder())
    check_language_model(f"local:{folder}", "tabletop")
    assert by_name.load_planner_model(f"local:{folder}", WORLD).language_model.name == "c++"


def test_a_model_at_no_server_is_named_with_the_form():
    with pytest.raises(ValueError, match="openai:MODEL@URL"):
        by_name.load_planner_model("openai:model-without-address", WORLD)


@pytest.mark.parametrize("name", ["magic", "local:"])
def test_an_unknown_form_is_named_with_the_valid_ones(name):
    with pytest.raises(UnknownNameError, match=r"FIRST\|SECOND"):
        by_name.load_planner_model(name, WORLD)


def test_what_an_adapter_was_tuned_on_is_named_where_it_is_cut(tmp_path):
    base = AutoModelForCausalLM.from_pretrained(tiny_model.folder())
    get_peft_model(base, LoraConfig(r=2, target_modules=["q_proj"])).save_pretrained(tmp_path)
    (tmp_path / "prompt.json").write_text("")
    with pytest.raises(WeightsError, match=rf"^the adapter {tmp_path} cannot be loaded: [^\n]*; copy it again$"):
        by_name.load_planner_model(f"local:{tiny_model.folder()}+{tmp_path}", WORLD)
