"""A small U-Net that says for every pixel which of a world's objects it shows, the objects told by kind and colour."""

from __future__ import annotations

from copy import deepcopy

import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval


class _Block(nn.Sequential):
    """Convolution, normalisation, rectifier."""

    def __init__(self, channels_in: int, channels_out: int, stride: int = 1) -> None:
        super().__init__(
            nn.Conv2d(channels_in, channels_out, 3, stride, 1, bias=False),
            nn.BatchNorm2d(channels_out),
            nn.ReLU(inplace=True),
        )


class SegmentationNetwork(nn.Module):
    """Encoder, decoder with added skips, and a sub-pixel head (Ronneberger et al. 2015; Shi et al. 2016).

    Works on half of the input resolution and finer details come back in the head, which keeps a frame of 320x240
    within some 10 ms of one CPU core. Every pixel gets a logit for each kind of object and a vector that is compared
    with the code of an object's colour: which objects there are is an input, not what the network was trained on.
    """

    def __init__(self, kinds: int, channels: tuple[int, int, int, int] = (12, 24, 48, 96), code: int = 8) -> None:
        """Make an untrained network.

        Args:
          kinds: Number of kinds of objects.
          channels: Feature channels at 1/2, 1/4, 1/8 and 1/16 of the input resolution.
          code: Length of a colour's code.
        """
        super().__init__()
        a, b, c, d = channels
        self.kinds, self.code = kinds, code
        self.down1 = _Block(4, a, 2)
        self.down2 = nn.Sequential(_Block(a, b, 2), _Block(b, b))
        self.down3 = nn.Sequential(_Block(b, c, 2), _Block(c, c))
        self.down4 = nn.Sequential(_Block(c, d, 2), _Block(d, d))
        self.across3 = nn.Conv2d(d, c, 1)
        self.across2 = nn.Conv2d(c, b, 1)
        self.across1 = nn.Conv2d(b, a, 1)
        self.up3 = _Block(c, c)
        self.up2 = _Block(b, b)
        self.up1 = _Block(a, a)
        self.head = nn.Conv2d(a, 4 * (1 + kinds + code), 1)
        self.coder = nn.Sequential(nn.Linear(3, 32), nn.ReLU(inplace=True), nn.Linear(32, code + 1))

    def forward(self, picture: Tensor, kinds: Tensor, colors: Tensor) -> Tensor:
        """Return logits, shape [n, 1 + objects, height, width]; the first is that of no object.

        Args:
          picture: Shape [n, 4, height, width]: red, green, blue and height as `encode` makes them.
          kinds: Kind of each object, int64 [objects].
          colors: Colour of each object as the world declares it, in [0, 1], shape [n, objects, 3].
        """
        raw = nn.functional.pixel_shuffle(self.head(self._features(picture)), 2)
        none, kind, vector = raw.split((1, self.kinds, self.code), 1)
        code = self.coder(2 * colors - 1)
        alike = torch.einsum("nmd,ndhw->nmhw", code[..., :-1], vector) + code[..., -1, None, None]
        return torch.cat([none, kind[:, kinds] + alike], 1)

    def _features(self, picture: Tensor) -> Tensor:
        x1 = self.down1(picture)
        x2 = self.down2(x1)
        x3 = self.down3(x2)
        x4 = self.down4(x3)
        y3 = self.up3(x3 + _larger(self.across3(x4), x3))
        y2 = self.up2(x2 + _larger(self.across2(y3), x2))
        features: Tensor = self.up1(x1 + _larger(self.across1(y2), x1))
        return features

    @torch.no_grad()
    def fused(self, kinds: Tensor, colors: Tensor) -> ObjectNetwork:
        """Return a copy for inference on known objects: their codes and the normalisation are folded in.

        Args:
          kinds: As in `forward`.
          colors: As in `forward`, the same for all pictures: shape [objects, 3].
        """
        copy = deepcopy(self).eval()
        for module in copy.modules():
            if isinstance(module, _Block):
                module[0] = fuse_conv_bn_eval(module[0], module[1])
                module[1] = nn.Identity()
        return ObjectNetwork(copy, kinds, colors)


class ObjectNetwork(nn.Module):
    """A `SegmentationNetwork` whose last layer speaks of certain objects; maps pictures to logits."""

    def __init__(self, network: SegmentationNetwork, kinds: Tensor, colors: Tensor) -> None:
        super().__init__()
        code = network.coder(2 * colors - 1)
        mixing = torch.zeros(1 + len(kinds), 1 + network.kinds + network.code)
        mixing[0, 0] = 1.0
        mixing[torch.arange(len(kinds)) + 1, kinds + 1] = 1.0
        mixing[1:, 1 + network.kinds :] = code[:, :-1]
        offset = torch.cat([torch.zeros(1), code[:, -1]])
        weight = network.head.weight.view(mixing.shape[1], 4, -1)  # a channel's four sub-pixels lie together
        bias = network.head.bias.view(mixing.shape[1], 4)
        head = nn.Conv2d(weight.shape[2], 4 * len(mixing), 1)
        head.weight.data = torch.einsum("mc,csa->msa", mixing, weight).reshape(head.weight.shape)
        head.bias.data = (mixing @ bias + offset[:, None]).reshape(-1)
        self.network, self.head = network, head

    def forward(self, picture: Tensor) -> Tensor:
        """Return logits, shape [n, 1 + objects, height, width]; see `SegmentationNetwork.forward`."""
        features = self.network._features(picture)
        return nn.functional.pixel_shuffle(self.head(features.to(self.head.weight.dtype)), 2)


def _larger(small: Tensor, like: Tensor) -> Tensor:
    return nn.functional.interpolate(small, size=like.shape[-2:], mode="nearest")


def encode(color: Tensor, height: Tensor) -> Tensor:
    """Return the network's input, float32 [n, 4, height, width].

    Args:
      color: uint8 or float32 in [0, 255], shape [n, height, width, 3], RGB.
      height: Metres above the table, shape [n, height, width]; NaN where the sensor saw nothing.
    """
    rgb = color.permute(0, 3, 1, 2).float() / 127.5 - 1.0
    metres = torch.nan_to_num(height.float(), nan=-0.05).clamp(-0.05, 0.45)
    return torch.cat([rgb, 5.0 * metres[:, None]], 1)
