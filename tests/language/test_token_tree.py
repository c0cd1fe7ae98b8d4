import numpy as np

from fmrl_ros.language.token_tree import BestFirst, Reading, TokenTree


def test_tree_shares_beginnings_and_knows_where_each_option_ends():
    tree = TokenTree.of([[5, 6, 7], [5, 6], [5, 8], [9]])
    assert tree.tokens == [-1, 5, 6, 7, 8, 9]
    assert tree.parents == [-1, 0, 1, 2, 1, 0]
    assert tree.ends == [3, 2, 4, 5]
    assert tree.inner() == [1, 2]


def test_the_tree_knows_its_depth_and_the_greatest_weight_below_each_node():
    tree = TokenTree.of([[5, 6, 7], [5, 6], [5, 8], [9]])
    assert tree.depth == 3
    np.testing.assert_array_equal(tree.best_weights(np.array([0.1, 0.2, 0.4, 0.3])), [0.4, 0.4, 0.2, 0.1, 0.4, 0.3])


def test_a_search_reads_only_what_can_still_be_among_the_best():
    tree = TokenTree.of([[5, 6], [7, 8], [9]])
    search, reading = BestFirst(tree, np.zeros(3), 1), Reading(tree, prefix=4)
    reading.total[[1, 3, 5]] = -0.1, -9.0, -4.0
    assert search.next_nodes(reading) == [1]
    reading.slots[1], reading.total[2] = [4], -0.2
    assert search.next_nodes(reading) == []
    np.testing.assert_allclose(reading.bounds()[tree.ends], [-0.2, -9.0, -4.0])
    assert BestFirst(tree, np.full(3, -np.inf), 1).next_nodes(reading) == []


def test_a_search_begins_with_what_is_likely_and_what_has_no_alternative():
    tree = TokenTree.of([[1, 2, 3, n, 7, 8] for n in range(20, 30)] + [[4, 5, 6]])
    search = BestFirst(tree, np.zeros(11), 1)
    assert [tree.tokens[node] for node in search.first_nodes({24})] == [1, 2, 3, 24, 7, 4, 5]
    assert [tree.tokens[node] for node in search.first_nodes(())] == [1, 2, 3, 4, 5]
    dead = BestFirst(tree, np.where(np.arange(11) == 4, -np.inf, 0.0), 1)
    assert [tree.tokens[node] for node in dead.first_nodes({24})] == [1, 2, 3, 4, 5]


def test_a_search_reads_a_small_branch_whole_and_all_of_the_best_at_a_time():
    tree = TokenTree.of([[1, 9], [1, 2, 9], [1, 3, 9], [4, 5], [6, 7]])
    reading = Reading(tree, prefix=4)
    reading.total[[n for n, parent in enumerate(tree.parents) if parent == 0]] = -1.0, -2.0, -9.0
    for count, tokens in ((1, [1, 2, 3]), (2, [1, 2, 3, 4])):
        assert [tree.tokens[node] for node in BestFirst(tree, np.zeros(5), count).next_nodes(reading)] == tokens
