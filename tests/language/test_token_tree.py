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
