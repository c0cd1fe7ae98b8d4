import torch

from fmrl_ros.perception.network import SegmentationNetwork


def pictures():
    torch.manual_seed(1)
    return torch.rand(2, 4, 32, 48)


def test_what_is_folded_in_for_inference_says_the_same():
    network = SegmentationNetwork(2).eval()
    for module in network.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.uniform_(-0.1, 0.1)
            module.running_var.uniform_(0.5, 1.5)
    kinds, colors = torch.tensor([0, 0, 1]), torch.rand(3, 3)
    with torch.no_grad():
        whole = network(pictures(), kinds, colors.expand(2, 3, 3))
        folded = network.fused(kinds, colors)(pictures())
    assert whole.shape == folded.shape == (2, 4, 32, 48)
    assert torch.allclose(whole, folded, atol=1e-5)


def test_objects_are_an_input_in_any_order_and_number():
    network = SegmentationNetwork(2).eval()
    kinds, colors = torch.tensor([0, 1, 1]), torch.rand(2, 3, 3)
    with torch.no_grad():
        all_three = network(pictures(), kinds, colors)
        two = network(pictures(), kinds[[2, 0]], colors[:, [2, 0]])
    assert torch.allclose(two, all_three[:, [0, 3, 1]], atol=1e-6)
