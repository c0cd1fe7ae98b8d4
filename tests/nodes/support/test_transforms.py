"""With a stand-in for tf2_ros, which no Python package brings."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from fmrl_ros.nodes.support.transforms import Transforms


class LookupFailed(Exception):
    pass


class NotAtThatTime(LookupFailed):
    pass


@pytest.fixture
def tf2(monkeypatch):
    known, late, asked = {}, {}, []

    class Buffer:
        def lookup_transform(self, target, source, stamp):
            asked.append(source)
            if late.get(source, 0) > 0:
                late[source] -= 1
                raise NotAtThatTime("Lookup would require extrapolation into the future")
            if (target, source) not in known:
                raise LookupFailed(f'"{source}" passed to lookupTransform does not exist')
            return SimpleNamespace(transform=known[target, source])

    module = ModuleType("tf2_ros")
    module.Buffer, module.TransformException = Buffer, LookupFailed
    module.ExtrapolationException = NotAtThatTime
    module.TransformListener = lambda buffer, node: object()
    monkeypatch.setitem(sys.modules, "tf2_ros", module)
    return SimpleNamespace(known=known, late=late, asked=asked)


TURNED = SimpleNamespace(
    translation=SimpleNamespace(x=1.0, y=2.0, z=3.0), rotation=SimpleNamespace(x=0.0, y=0.0, z=1.0, w=0.0)
)


def test_a_frame_that_tf_knows_has_a_pose(tf2):
    tf2.known["base", "camera_optical"] = TURNED
    pose = Transforms(None, "base").pose("camera_optical", None)
    assert np.allclose(pose, [[-1, 0, 0, 1], [0, -1, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]])


def test_a_transform_that_comes_after_the_picture_is_waited_for(tf2):
    tf2.known["base", "camera_optical"] = TURNED
    transforms = Transforms(None, "base")
    for _ in range(20):
        tf2.late["camera_optical"] = 5
        assert transforms.pose("camera_optical", None)[:3, 3] == pytest.approx([1, 2, 3])


def test_a_frame_that_tf_does_not_know_is_named(tf2):
    with pytest.raises(ValueError, match="TF does not know where 'lost' is in 'base'"):
        Transforms(None, "base").pose("lost", None)
    assert tf2.asked == ["lost"], "it was not waited for"


def test_a_transform_that_never_comes_is_given_up(tf2):
    tf2.late["camera_optical"] = 10**9
    with pytest.raises(ValueError, match="'camera_optical' is in 'base': Lookup would require extrapolation"):
        Transforms(None, "base").pose("camera_optical", None)


def test_without_tf2_the_profile_is_the_way(monkeypatch):
    monkeypatch.setitem(sys.modules, "tf2_ros", None)
    with pytest.raises(ValueError, match="tf2_ros is not installed"):
        Transforms(None, "base")
