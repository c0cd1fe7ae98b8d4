"""A small U-Net that says for every pixel which of a world's objects it shows."""

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
    within some 10 ms of one CPU core.
    """

    def __init__(self, classes: int, channels: tuple[int, int, int, int] = (12, 24, 48, 96)) -> None:
        """Make an untrained network.

        Args:
          classes: Number of classes, the background (class 0) included.
          channels: Feature channels at 1/2, 1/4, 1/8 and 1/16 of the input resolution.
        """
        super().__init__()
        a, b, c, d = channels
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
        self.head = nn.Conv2d(a, 4 * classes, 1)

    def forward(self, picture: Tensor) -> Tensor:
        """Return logits, shape [n, classes, height, width].

        Args:
          picture: Shape [n, 4, height, width]: red, green, blue and height as `encode` makes them.
        """
        x1 = self.down1(picture)
        x2 = self.down2(x1)
        x3 = self.down3(x2)
        x4 = self.down4(x3)
        y3 = self.up3(x3 + _larger(self.across3(x4), x3))
        y2 = self.up2(x2 + _larger(self.across2(y3), x2))
        y1 = self.up1(x1 + _larger(self.across1(y2), x1))
        return nn.functional.pixel_shuffle(self.head(y1), 2)

    def fused(self) -> SegmentationNetwork:
        """Return a copy for inference, normalisation folded into the convolutions."""
        copy = deepcopy(self).eval()
        for module in copy.modules():
            if isinstance(module, _Block):
                module[0] = fuse_conv_bn_eval(module[0], module[1])
                module[1] = nn.Identity()
        return copy


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
