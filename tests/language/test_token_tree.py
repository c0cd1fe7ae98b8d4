import numpy as np

from fmrl_ros.language.token_tree import Aim, Reading, TokenTree


def test_tree_shares_beginnings_and_knows_where_each_option_ends():
    tree = TokenTree.of([[5, 6, 7], [5, 6], [5, 8], [9]])
    assert tree.tokens == [-1, 5, 6, 7, 8, 9]
    assert tree.parents == [-1, 0, 1, 2, 1, 0]
    assert tree.ends == [3, 2, 4, 5]
    assert tree.inner() == [1, 2]


def test_the_tree_knows_its_depth_and_the_greatest_weight_below_each_node():
    tree = TokenTree.of([[5, 6, 7], [5, 6], [5, 8], [9]])
    assert tree.depth == 3
    np.testing.assert_array_equal(tree.greatest(np.array([0.1, 0.2, 0.4, 0.3])), [0.4, 0.4, 0.2, 0.1, 0.4, 0.3])


def test_an_aim_wants_only_what_can_still_be_among_the_best():
    tree = TokenTree.of([[5, 6], [7, 8], [9]])
    aim, reading = Aim(tree, np.zeros(3), 1), Reading(tree, prefix=4)
    reading.total[[1, 3, 5]] = -0.1, -9.0, -4.0
    assert aim.wants(reading) == [1]
    reading.slots[1], reading.total[2] = [4], -0.2
    assert aim.wants(reading) == []
    np.testing.assert_allclose(reading.bounds()[tree.ends], [-0.2, -9.0, -4.0])
    assert Aim(tree, np.full(3, -np.inf), 1).wants(reading) == []


def test_an_aim_begins_with_what_is_likely_and_what_has_no_alternative():
    tree = TokenTree.of([[1, 2, 3, n, 7, 8] for n in range(20, 30)] + [[4, 5, 6]])
    aim = Aim(tree, np.zeros(11), 1)
    assert [tree.tokens[node] for node in aim.first({24})] == [1, 2, 3, 24, 7, 4, 5]
    assert [tree.tokens[node] for node in aim.first(())] == [1, 2, 3, 4, 5]
    dead = Aim(tree, np.where(np.arange(11) == 4, -np.inf, 0.0), 1)
    assert [tree.tokens[node] for node in dead.first({24})] == [1, 2, 3, 4, 5]


def test_an_aim_reads_a_small_branch_whole_and_all_of_the_best_at_a_time():
    tree = TokenTree.of([[1, 9], [1, 2, 9], [1, 3, 9], [4, 5], [6, 7]])
    reading = Reading(tree, prefix=4)
    reading.total[[n for n, parent in enumerate(tree.parents) if parent == 0]] = -1.0, -2.0, -9.0
    for count, tokens in ((1, [1, 2, 3]), (2, [1, 2, 3, 4])):
        assert [tree.tokens[node] for node in Aim(tree, np.zeros(5), count).wants(reading)] == tokens
