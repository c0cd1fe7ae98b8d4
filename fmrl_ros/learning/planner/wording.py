"""How people say things at the table: frames (sentence patterns) and synonyms for the instruction generator.

In a frame, ``{a}`` stands for a block or several, ``{b}`` for a second one, ``{x}`` and ``{y}`` for where they
go *with* its preposition ("into the blue bowl"), ``{at}`` for a location without one. In each family the last
frame is kept for the test split and the one before it for the development split; training sees the others.
"""

from __future__ import annotations

BLOCK_NOUNS = ("block", "block", "block", "cube", "brick", "box")
BOWL_NOUNS = ("bowl", "bowl", "bowl", "dish", "container", "basin")

PLACE_NAMES: dict[str, tuple[str, ...]] = {
    "top left corner": (
        "top left corner",
        "top left corner",
        "upper left corner",
        "top left",
        "corner at the top left",
    ),
    "top right corner": (
        "top right corner",
        "top right corner",
        "upper right corner",
        "top right",
        "corner at the top right",
    ),
    "bottom left corner": (
        "bottom left corner",
        "bottom left corner",
        "lower left corner",
        "bottom left",
        "corner at the bottom left",
    ),
    "bottom right corner": (
        "bottom right corner",
        "bottom right corner",
        "lower right corner",
        "bottom right",
        "corner at the bottom right",
    ),
    "middle": ("middle", "middle", "centre", "center", "middle of the table", "center of the table"),
}

INTO = ("in", "in", "in", "into", "into", "inside", "to", "over to", "inside of", "on")
ONTO = ("to", "to", "at", "in", "into", "onto", "on", "over to")

PUT = (
    "put", "put", "put", "put", "put", "put", "put", "put", "put", "put", "put", "put", "put", "put",
    "move", "move", "move", "move", "move", "move", "move", "move", "place", "place", "place", "place",
    "place", "place", "place", "place", "bring", "bring", "bring", "set", "drop", "set", "drop", "take",
    "take", "transfer", "shift", "carry", "deposit", "get", "lay", "pop", "stick", "relocate", "transport",
    "deliver", "stash", "leave", "store", "stow", "send", "position", "release", "dump", "toss", "throw",
)  # fmt: skip

PICK = (
    "pick up", "pick up", "pick up", "pick up", "pick up", "pick up", "pick up", "pick up", "pick up",
    "pick up", "take", "grab", "take", "grab", "take", "grab", "take", "grab", "lift", "get", "lift", "get",
    "lift up", "hold", "fetch", "grasp", "raise", "seize", "collect", "pick", "take hold of", "get hold of",
    "grip", "retrieve", "catch",
)  # fmt: skip

DELIVER = (
    "{put} {a} {x}",
    "{put} {a} {x}",
    "{put} {a} {x}",
    "{put} {a} {x}",
    "{pick} {a} and {put} it {x}",
    "{pick} {a} and then {put} it {x}",
    "{pick} {a}, {put} it {x}",
    "{a} belongs {x}",
    "{a} goes {x}",
    "{a} should be {x}",
    "{a} must end up {x}",
    "i want {a} {x}",
    "i need {a} {x}",
    "make sure that {a} is {x}",
    "{a} {x}",
    "{x} is where {a} belongs",
    "{put} {a} from where it is {x}",
    "use your gripper to {put} {a} {x}",
    "{a} has to go {x}",
    "see to it that {a} ends up {x}",
)
DELIVER_SEVERAL = (
    "{put} {a} {x}",
    "{put} {a} {x}",
    "{put} {a} {x}",
    "{a} belong {x}",
    "{a} go {x}",
    "{a} should be {x}",
    "i want {a} {x}",
    "i need {a} {x}",
    "make sure that {a} are {x}",
    "{a} all go {x}",
    "{put} {a} {x}, one after the other",
    "{a} must end up {x}",
    "{pick} {a} and {put} them {x}",
)
DELIVER_TWO = (
    "{put} {a} {x} and {b} {y}",
    "{put} {a} {x} and {put2} {b} {y}",
    "{put} {a} {x}, then {put2} {b} {y}",
    "first {put} {a} {x}, then {put2} {b} {y}",
    "{put} {a} {x} and then {b} {y}",
    "{a} goes {x} and {b} goes {y}",
    "i want {a} {x} and {b} {y}",
    "{put} {a} {x}. after that, {put2} {b} {y}",
    "{put} {a} {x}, {b} {y}",
    "{a} belongs {x} and {b} belongs {y}",
    "{pick} {a}, {put} it {x} and then {put2} {b} {y}",
    "start by putting {a} {x}, then {put2} {b} {y}",
    "{put} {a} {x}; next {put2} {b} {y}",
)
DELIVER_THEN_HOLD = (
    "{put} {a} {x} and then {pick} {b}",
    "{put} {a} {x} and {pick} {b}",
    "{put} {a} {x}, then {pick} {b} and keep it",
    "first {put} {a} {x}, then {pick} {b}",
    "{put} {a} {x}. then {pick} {b}",
    "{put} {a} {x} and after that {pick} {b}",
)
HOLD = (
    "{pick} {a}",
    "{pick} {a}",
    "{pick} {a}",
    "{pick} {a} and hold it",
    "{pick} {a} and keep it in your hand",
    "{pick} {a} from the table",
    "{pick} {a} off the table",
    "i want you to have {a} in your hand",
    "hold {a} in your gripper",
    "take {a} in your hand",
    "{pick} {a} with your gripper",
    "{a} should be in your hand",
)
RELEASE = (
    "put down what you are holding",
    "put it down",
    "let go of it",
    "put the {block} down",
    "empty your hand",
    "release what you have in your hand",
    "drop what you are holding",
    "lay it down on the table",
    "open your hand and put the {block} down",
    "set down the {block} that you are holding",
)
HELD_TO = (
    "{put} it {x}",
    "{put} what you are holding {x}",
    "{put} the {block} in your hand {x}",
    "what you are holding goes {x}",
    "{put} the {block} that you hold {x}",
    "{put} the thing in your gripper {x}",
)
ALL = (
    "all the {blocks}",
    "all {blocks}",
    "every {block}",
    "each {block}",
    "all of the {blocks}",
    "the {blocks}",
    "everything",
    "all four {blocks}",
    "each of the {blocks}",
    "every single {block}",
)
ALL_BUT = (
    "all the {blocks} except the {colour} one",
    "all {blocks} but the {colour} one",
    "every {block} except {one}",
    "everything but {one}",
    "all the {blocks} apart from the {colour} one",
    "every {block} other than {one}",
)
OWN_COLOUR = (
    "{put} every {block} in the {bowl} of its own {colour_word}",
    "{put} each {block} in the {bowl} of its {colour_word}",
    "sort the {blocks} by {colour_word} into the {bowls}",
    "sort the {blocks} into the {bowls} of the same {colour_word}",
    "every {block} goes into the {bowl} of the same {colour_word}",
    "each {block} belongs in the {bowl} that has its {colour_word}",
    "match the {colour_word} of each {block} and its {bowl}",
    "the {colour_word} of each {block} must match the {bowl} it is in",
    "all the {blocks} should be in {bowls} of their own {colour_word}",
    "sort the {blocks} by {colour_word}",
    "tidy up: {blocks} into {bowls} of their own {colour_word}",
    "red {block} in the red {bowl}, green in green, blue in blue, yellow in yellow",
    "{put} all {blocks} into the {bowls} with the same {colour_word}",
    "sort each {block} into the {bowl} with its own {colour_word}",
)
OTHER_COLOUR = (
    "{put} every {block} in a {bowl} of another {colour_word}",
    "{put} each {block} in a {bowl} that has a different {colour_word}",
    "no {block} may be in a {bowl} of its own {colour_word}, but each must be in a {bowl}",
    "every {block} goes into a {bowl} of the wrong {colour_word}",
    "all the {blocks} should be in {bowls} of a different {colour_word}",
    "{put} all {blocks} into {bowls} of another {colour_word}",
)
CORNERS = (
    "{put} one {block} in each corner",
    "{put} a {block} in every corner",
    "every corner should have a {block}",
    "each {block} goes to a different corner",
    "{put} the {blocks} in the four corners, one in each",
    "each corner must have one {block}",
    "{put} every {block} in its own corner",
)
EMPTY_BOWL = (
    "empty {at}",
    "take everything out of {at}",
    "{at} should be empty",
    "clear out {at}",
    "get all the {blocks} out of {at}",
    "remove what is in {at}",
    "make sure that {at} is empty",
    "take all {blocks} out of {at}",
)
CLEAR_PLACE = (
    "clear {at}",
    "free {at}",
    "{at} should be free",
    "take the {block} away from {at}",
    "remove the {block} from {at}",
    "make sure that {at} is free",
    "there should be nothing at {at}",
    "get the {block} away from {at}",
)
TAKE_OUT = (
    "take {a} out of {at}",
    "get {a} out of {at}",
    "remove {a} from {at}",
    "{a} should not be in {at}",
    "lift {a} out of {at} and put it on the table",
    "take {a} from {at} and put it down on the table",
)
FROM_TO = (
    "{put} the {block} that is {where} {x}",
    "{put} the {block} {where} {x}",
    "the {block} that is {where} belongs {x}",
    "{put} what is {where} {x}",
    "the {block} {where} should be {x}",
    "take the {block} {where} and {put} it {x}",
)
NAMED_FROM_TO = (
    "{put} {a} from {at} {x}",
    "take {a} out of {at} and {put} it {x}",
    "{a} is in {at} but belongs {x}",
    "{pick} {a} from {at} and {put} it {x}",
    "get {a} from {at}, then {put} it {x}",
)
ON_TOP = (
    "stack {a} on {b}",
    "{put} {a} on top of {b}",
    "{put} {a} on {b}",
    "{put} {a} onto {b}",
    "{a} belongs on top of {b}",
)
IMPOSSIBLE = (
    "stack {a} on {b}",
    "{put} {a} on top of {b}",
    "{put} {a} on {b}",
    "build a tower",
    "stack the {blocks}",
    "build a tower with {a} and {b}",
    "{pick} {at}",
    "{put} {at} {x}",
    "lift {at}",
    "turn {at} over",
    "{put} {at} in {at2}",
    "grab {at} and hold it",
    "{put} {at} on {a}",
    "{put} {at} in the middle",
    "push {a} off the table",
    "throw {a} on the floor",
    "open the drawer",
    "close the drawer",
    "{put} {a} in the drawer",
    "paint {a} blue",
    "wash {at}",
    "give me {a}",
    "bring me {a}",
    "go to the kitchen",
    "tell me a joke",
    "what time is it",
    "sing a song",
    "dance",
    "break {a}",
    "cut {a} in two",
    "hide {a} under {at}",
    "{put} {a} under {at}",
    "swap {at} and {at2}",
    "spin {a}",
    "rotate {a}",
    "fill {at} with water",
    "make coffee",
    "clean the table",
    "look at {a}",
    "how many {blocks} are there",
    "balance {a} on {b}",
    "{put} {b} on top of {a}",
    "slide {at} {x}",
    "flip {at}",
)

POLITE_BEFORE = (
    "please", "could you", "can you", "would you", "i want you to", "i would like you to", "robot,",
    "hey robot,", "now", "kindly", "your task is to", "go ahead and", "could you please", "can you please",
    "would you please", "i need you to", "hey,", "ok,", "okay,", "next,", "try to", "you should",
    "you need to", "be so kind and", "hi,", "hello robot,", "quickly", "carefully", "gently", "slowly",
    "just", "well,", "so", "help me and", "would you mind to", "let us", "will you",
)  # fmt: skip
POLITE_AFTER = (
    "please", "now", "for me", "thanks", "thank you", "carefully", "gently", "quickly", "slowly",
    "right now", "if you can", "robot", "when you are ready", "will you", "again", "first", "too",
    "as well", "with care", "at once", "today",
)  # fmt: skip
SIZE_WORDS = ("little", "small", "wooden", "plastic", "tiny", "square", "nice")
STATEMENTS = ("the ", "i ", "every ", "each ", "all ", "no ", "what ", "there ", "how ")
"""Beginnings of sentences that are no commands, which nothing polite goes before."""
