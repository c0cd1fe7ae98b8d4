"""Generated kitchen instructions: a sentence, a start state and the goal, all from one random generator.

What the world knows of a thing (its tags) decides what a request means, and the planner's model reads the same tags
in its prompt: it learns to look a need up, not what a cola is. A share of the things it is trained on has made-up
names, so that nothing but the prompt tells what they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from fmrl_ros.planning.english import article, plural
from fmrl_ros.planning.explanation import HELD
from fmrl_ros.planning.instructions import Split, typo
from fmrl_ros.planning.kitchen_goals import Delivery, KitchenGoal
from fmrl_ros.planning.wording import POLITE_AFTER, POLITE_BEFORE
from fmrl_ros.worlds.kitchen import KitchenState
from fmrl_ros.worlds.symbolic import HAND
from fmrl_ros.worlds.world import World, WorldObject, numbered

WORDS = Path(__file__).with_name("kitchen_words.yaml")

FETCH = (
    "bring me {x}", "fetch me {x}", "hurry and bring me {x}", "i am waiting for {x}", "would you mind bringing me {x}",
    "show up here with {x}", "come to me with {x}", "i feel like having {x}", "{x} would be great", "{x} for me",
    "how about {x} for me", "it would be nice to have {x}", "let {x} be brought to me", "hand {x} over to me",
    "provide me with {x}", "supply me with {x}", "may i ask for {x}", "i should like to have {x}", "get me {x}",
    "hand me {x}", "give me {x}", "pass me {x}", "bring {x} to me", "take {x} and give it to me",
    "pick up {x} and hand it to me", "pick {x} up for me and bring it", "lay hands on {x} and bring it to me",
    "take hold of {x} and pass it to me", "grab hold of {x} and come here with it", "i am in need of {x}",
    "arrange for {x} to get to me", "{x} is what i want", "run and fetch {x}", "lift {x} for me and bring it",
    "seize {x} for me", "bring {x} over here", "i want {x}", "i would like {x}", "i need {x}", "could i have {x}",
    "may i have {x}", "go and get {x} for me", "grab me {x}", "grab {x} for me", "let me have {x}", "find me {x}",
    "fetch {x}", "bring {x}", "i could use {x}", "serve me {x}", "deliver {x} to me", "carry {x} to me",
    "bring {x} to the user", "i am after {x}", "look for {x} and bring it here", "pick out {x} for me",
    "i would love {x}", "get hold of {x} for me", "procure {x} for me",
)  # fmt: skip
MOVE = (
    "move {x} to {l}", "put {x} on {l}", "i would like to see {x} on {l}", "let {x} stand on {l}",
    "make sure that {x} ends up on {l}", "see to it that {x} gets to {l}", "put down {x} on {l}", "rest {x} on {l}",
    "park {x} on {l}", "position {x} on {l}", "{x} has to go to {l}", "fetch {x} and leave it on {l}",
    "pick up {x} and put it on {l}", "send {x} to {l}", "find {x} a place on {l}", "slide {x} over to {l}",
    "have {x} put on {l}", "place {x} on {l}", "grab {x} and set it on {l}", "{x} ought to be on {l}",
    "let me find {x} on {l}", "make room for {x} on {l}", "swing {x} over to {l}", "set {x} on {l}", "take {x} to {l}",
    "carry {x} to {l}", "bring {x} to {l}", "transfer {x} to {l}", "leave {x} on {l}", "drop {x} off at {l}",
    "deliver {x} to {l}", "{x} should go to {l}", "{x} belongs on {l}", "i want {x} on {l}", "get {x} over to {l}",
    "shift {x} to {l}", "lay {x} on {l}", "store {x} on {l}", "{x} must be on {l}", "relocate {x} to {l}",
    "haul {x} to {l}",
)  # fmt: skip
TRASH = (
    "throw away {x}", "throw {x} away", "i want {x} thrown away", "{x} is rubbish", "{x} goes in the bin",
    "throw out {x}", "{x} must be thrown away", "remove {x}, it is garbage", "put {x} where the rubbish goes",
    "{x} has gone bad, throw it away", "nobody wants {x}, bin it", "drop {x} into the trash", "scrap {x}",
    "pitch {x} into the garbage can", "{x} belongs in the trash", "let {x} vanish in the bin",
    "carry {x} to the rubbish", "{x} should be thrown out", "we no longer need {x}, bin it", "out with {x}",
    "i want to be rid of {x}", "take {x} out with the rubbish", "{x} is waste, away with it", "put {x} in the trash",
    "dispose of {x}", "get rid of {x}", "trash {x}", "throw {x} in the bin", "move {x} to the trash can", "toss {x}",
    "{x} can go in the bin", "bin {x}", "put {x} in the garbage", "i do not need {x} any more, throw it out",
    "discard {x}", "chuck {x} into the trash can",
)  # fmt: skip
STOW = (
    "put {x} in {d}", "place {x} in {d}", "lay {x} in {d}", "lock {x} away in {d}", "{x} should be in {d}",
    "{x} goes into {d}", "i want {x} in {d}", "drop {x} into {d}", "let {x} disappear in {d}", "leave {x} inside {d}",
    "clear {x} away into {d}", "shut {x} up in {d}", "{x} must go inside {d}", "i would like {x} inside {d}",
    "{d} is the place for {x}", "open {d} and put {x} in it", "pack {x} into {d}", "deposit {x} in {d}",
    "put {x} into {d}", "store {x} in {d}", "hide {x} in {d}", "{x} belongs in {d}", "keep {x} in {d}",
    "move {x} into {d}", "stow {x} in {d}", "tuck {x} into {d}",
)  # fmt: skip
PICK = (
    "pick up {x}", "pick up {x}", "seize {x}", "snatch {x}", "pick out {x} and keep it in your hand",
    "get hold of {x} and wait", "take hold of {x}", "raise {x}", "keep {x} in your gripper",
    "close your fingers around {x}", "have {x} in your hand", "gather up {x}", "lift {x} up",
    "secure {x} in your gripper", "scoop up {x}", "take {x} and hold it", "pick {x} up", "take {x}", "grab {x}",
    "grab hold of {x}", "lift {x}", "hold {x}", "get {x} in your hand", "take {x} in your hand", "grasp {x}",
    "clasp {x}",
)  # fmt: skip
FIND = (
    "find {x}", "find {x}", "show me where {x} is", "spot {x}", "go where {x} is", "try to find {x}", "discover {x}",
    "drive up to {x}", "see where {x} is", "find out where {x} is", "get near {x}", "approach {x}",
    "have a look for {x}", "lead me to {x}", "check where {x} is", "find the spot where {x} is", "locate {x}",
    "look for {x}", "go to {x}", "search for {x}", "where is {x}, go there", "track down {x}", "go and find {x}",
    "seek {x}", "hunt down {x}",
)  # fmt: skip
GO = (
    "go to {l}", "go to {l}", "drive over to {l}", "please be at {l}", "get yourself to {l}", "make your way to {l}",
    "walk to {l}", "i want you at {l}", "position yourself at {l}", "wait at {l}", "stand by {l}", "approach {l}",
    "be at {l}", "take yourself to {l}", "stop at {l}", "station yourself by {l}", "i need you at {l}",
    "turn up at {l}", "drive to {l}", "move to {l}", "head to {l}", "come to {l}", "go over to {l}", "navigate to {l}",
    "travel to {l}", "move over to {l}", "roll over to {l}", "proceed to {l}",
)  # fmt: skip
OPEN = (
    "open {d}", "open {d}", "pull {d} open", "draw {d} open", "i want {d} open", "i need {d} open", "tug {d} open",
    "see that {d} is open", "let {d} be open", "get {d} open", "open up {d}", "pull out {d}", "slide {d} open",
)  # fmt: skip
CLOSE = (
    "close {d}", "close {d}", "shut {d}", "i want {d} closed", "make sure that {d} is shut", "let {d} be closed",
    "press {d} shut", "{d} should be closed", "see that {d} is closed", "get {d} closed", "push {d} shut",
    "push {d} in", "slide {d} shut",
)  # fmt: skip
RELEASE = (
    "put down {x}", "put {x} down", "set {x} down", "let go of {x}", "put {x} somewhere", "let {x} go",
    "place {x} anywhere", "free your hand of {x}", "stop holding {x}", "drop {x}", "lay {x} down", "release {x}",
    "rest {x}",
)  # fmt: skip
HELD_TO = (
    "put what is in your hand on {l}", "lay what you are holding on {l}", "go and put it on {l}",
    "let it stand on {l}", "get it over to {l}", "the thing in your hand goes to {l}", "deliver it to {l}",
    "put it on {l}", "place what you hold on {l}", "take it to {l}", "bring it to {l}", "move it to {l}",
    "leave what is in your hand on {l}", "carry it over to {l}", "set it on {l}", "drop it off at {l}",
)  # fmt: skip
HAND_OVER = (
    "bring me what you hold", "i take what you have in your hand", "come here with it", "i want what you are holding",
    "hand me what is in your hand", "bring it to me", "give it to me", "hand it over", "let me have it",
    "pass it to me",
)  # fmt: skip
THROW_IT = (
    "what you hold is rubbish, throw it away", "throw out what is in your hand", "put what you hold in the bin",
    "off to the trash can with it", "toss it", "throw it away", "put it in the trash", "get rid of it", "bin it",
    "dispose of it",
)  # fmt: skip
SOMETHING = (
    "bring me something {s}", "i want something {s}", "something {s} would be nice", "i feel like something {s}",
    "let me have something {s}", "what have you got {s}", "anything {s} will do", "is there anything {s}",
    "i could use something {s}", "would you happen to have something {s}", "serve me something {s}",
    "grab me something {s}", "i long for something {s}", "i crave something {s}", "what i need is something {s}",
    "bring something {s} over", "i would be glad of something {s}", "let there be something {s} for me",
    "something {s} is what i want", "get me something {s}", "i need something {s}", "fetch me something {s}",
    "could i have something {s}", "find me something {s}", "i would like something {s}", "give me something {s}",
    "is there something {s}, bring it to me", "do you have something {s}, i would like it", "hand me something {s}",
    "look for something {s} and bring it", "i am looking for something {s}", "could you spare me something {s}",
)  # fmt: skip
CALLED_FOR = (
    "{s}, can you help", "{s}, bring me something for that", "{s}, what would help", "{s}, i need something for it",
    "{s}, could you bring something useful", "{s}, any idea", "what can you do for me, {s}", "{s}, please help me out",
    "{s}, give me something", "listen, {s}", "oh dear, {s}", "the thing is, {s}", "i must say, {s}",
    "to be honest, {s}", "look, {s}", "well, {s}", "as you can see, {s}", "{s}, is there a remedy",
    "{s} and i do not know what to do", "guess what, {s}", "{s}, surely you have something", "robot, {s}",
    "sorry to bother you, {s}", "{s}, what now", "{s}, what do you suggest", "you know, {s}",
    "{s}, what can you bring me", "{s}, fetch me something for it", "{s}, get me something that helps",
    "{s}, do something about it", "{s}, bring me the right thing", "{s}", "{s}, so bring me something suitable",
    "help me, {s}", "{s}, have you got anything for me",
)  # fmt: skip
NOT = (
    "{a} that is not {b}", "{a} other than {b}", "{a}, only not {b}", "{a} which is not {b}",
    "{a} as long as it is not {b}", "{a} apart from {b}", "{a}, {b} excluded", "{a} instead of {b}",
    "{a} and definitely not {b}", "{a} unless it is {b}", "another {a0} than {b}", "{a} besides {b}",
    "{a}, leaving out {b}", "not {b} but another {a0}", "{a}, but leave {b} alone", "{a} different from {b}",
    "{a} but not {b}", "any {a0} except {b}", "{a}, just not {b}", "{a}, anything but {b}",
)  # fmt: skip
WITHOUT = (
    "{a} that is not {t}", "{a} that is no {t}", "{a}, not a {t}", "{a} other than a {t}",
    "{a}, as long as it is not a {t}", "{a} except a {t}", "{a}, {t} excluded", "{a} unless it is a {t}",
    "{a} which is not a {t}", "{a}, but no {t}", "{a} but not a {t}",
)  # fmt: skip
ALL = (
    "all the {k}", "every {k1}", "all {k}", "the whole lot of {k}", "any and all {k}", "every single {k1}",
    "as many {k} as there are", "the complete set of {k}", "each {k1}", "all of the {k}", "each and every {k1}",
)  # fmt: skip
JOIN = (
    "{a}, also {b}", "{a}. then {b}", "{a}; and {b}", "{a} and also {b}", "{a}, when you are done {b}",
    "please do two things: {a} and {b}", "{a}, and while you are at it {b}", "{a} and next {b}", "{a} and {b}",
    "{a}, then {b}", "{a} and then {b}", "first {a}, then {b}", "{a}, after that {b}", "{a}; afterwards {b}",
)  # fmt: skip
JOIN3 = (
    "{a}; {b}; {c}", "{a}. {b}. {c}", "{a}, also {b}, and {c}", "{a}, after that {b}, and in the end {c}",
    "start with this: {a}, then {b}, and last {c}", "{a}, {b} and {c}", "first {a}, then {b}, finally {c}",
    "{a}, then {b}, then {c}", "{a}; next {b}; at last {c}",
)  # fmt: skip
ABOUT = (
    "i am done with {x}, {do}", "there is {x} around here, {do}", "look at {x}, {do}", "do you know {x}? {do}",
    "i have no use for {x} here, {do}", "i left {x} somewhere, {do}", "there is still {x}, {do}", "about {x}: {do}",
    "we have {x}, {do}", "do you see {x}? {do}", "i bought {x}, {do}", "this is about {x}, {do}",
    "take care of {x}, {do}", "remember {x}? {do}", "i can see {x}, {do}", "you see {x}? {do}",
    "somebody left {x} lying about, {do}", "that is {x} over there, {do}", "i finished with {x}, {do}",
    "here is {x}, {do}", "someone forgot {x}, {do}",
)  # fmt: skip
THEM = (
    "i am done with {x}, {do}", "{x} are lying about, {do}", "look at {x}, {do}", "there are {x}, {do}",
    "i left {x} somewhere, {do}", "we have {x}, {do}", "about {x}: {do}", "do you see {x}? {do}", "you see {x}? {do}",
    "here are {x}, {do}", "somebody forgot {x}, {do}", "those are {x}, {do}", "i no longer use {x}, {do}",
)  # fmt: skip
CANNOT_STAND = (
    "i cannot stand {b}, {do}", "i dislike {b}, so {do}", "i do not like {b}, {do}", "{do}, just not {b}",
    "{do}, but please no {b}", "i am sick of {b}, {do}", "not {b} again, {do}", "{b} is the last thing i want, {do}",
    "spare me {b}, {do}", "leave {b} where it is, {do}", "do not bring {b}, {do}", "i do not want {b}, {do}",
    "stay off {b}, {do}", "skip {b}, {do}", "do not give me {b}, {do}", "never hand me {b}, {do}",
    "{do}, {b} is out of the question", "{do}, i have no appetite for {b}", "ignore {b} and {do}",
    "i would rather not have {b}, {do}", "avoid {b}, {do}", "{do}, {b} does not agree with me", "pass over {b}, {do}",
    "forget about {b}, {do}", "put no {b} before me, {do}", "i have had enough of {b}, {do}",
    "{do}, and do not dare to come with {b}", "i am allergic to {b}, {do}", "{b} is not for me, {do}",
    "no {b} for me, {do}", "{do}, but i hate {b}", "keep {b} away from me, {do}", "{b} makes me sick, so {do}",
)  # fmt: skip
EVERYTHING_AT = (
    "clear {l}, put it all on {m}", "move everything from {l} to {m}", "whatever is on {l} goes to {m}",
    "all things on {l} belong on {m}", "put everything that stands on {l} on {m}",
    "carry all the stuff from {l} to {m}", "bring the whole contents of {l} to {m}",
    "all that stands on {l} should be on {m}", "i want nothing left on {l}, put it on {m}",
    "take everything off {l} and set it on {m}", "i need {l} free, so bring everything to {m}",
    "clean out {l}, {m} can take it all", "take all that is on {l} to {m}", "bring everything on {l} over to {m}",
    "{l} must be empty, use {m} instead", "empty {l} onto {m}",
)  # fmt: skip
IMPOSSIBLE = (
    "swim across the river", "build a house", "write a poem", "bake a cake", "cook dinner", "mow the grass",
    "clean the bathroom", "feed the fish", "dance with me", "take a photo of {x}", "fold {x}", "slice {x}",
    "fill {x} with water", "empty {x} into the sink", "shake {x}", "stir {x}", "crush {x}", "kick {x}", "burn {x}",
    "freeze {x}", "charge {x}", "polish {x}", "rotate {x}", "taste {x}", "sell {x}", "buy another one of {x}",
    "hide {x} under the carpet", "take {x} to the attic", "bring {x} to the neighbours", "put {x} in the dishwasher",
    "put {x} in the microwave", "put {x} on the roof", "put {x} in my pocket", "load {x} into the car",
    "take {x} to the bathroom", "throw {x} out of the window", "mail {x} to my aunt", "open the fridge",
    "close the curtains", "open the garage", "balance {x} on {y}", "wrap {x} in {y}", "sew {x} and {y} together",
    "rub {x} against {y}", "build a tower from {x} and {y}", "wedge {x} under {y}", "hit {x} with {y}",
    "compare {x} with {y}", "play catch with {x}", "do magic with {x} and {y}", "attach {x} to {y}",
    "hide {x} behind {y}", "roll {x} across the floor", "bounce {x}", "draw {x}", "describe {x} to my friend",
    "translate what is written on {x}", "repair {x}", "mend {x}", "sterilise {x}", "toast {x}", "grill {x}",
    "squeeze {x}", "unwrap {x}", "open {x}", "shut {x}", "lick {x}", "smell {x}", "bury {x} in the garden", "plant {x}",
    "bring {x} to the office", "take {x} to school", "put {x} in the attic", "put {x} in the bathtub",
    "put {x} in the freezer", "leave {x} in the corridor", "put {x} under the bed", "set {x} on the windowsill",
    "put {x} on the shelf", "carry {x} upstairs", "bring {x} to my grandmother", "give {x} to the cat", "post {x}",
    "wave {x} about", "spin {x}", "fry {x}", "dry {x}", "warm {x}", "cool {x} down", "whip {x}", "open the oven",
    "open the cupboard", "open the gate", "close the fridge", "close the cupboard", "close the blinds",
    "turn on the heater", "switch on the fan", "turn off the tap", "start the dishwasher", "make coffee", "make my bed",
    "wash the car", "paint the fence", "cut my hair", "brush your teeth", "go to sleep", "go to the bedroom",
    "drive to the shop", "go outside", "run upstairs", "go to the garden", "whistle", "laugh", "recite a prayer",
    "count to ten", "what time is it", "how is the weather", "who are you", "do my homework", "check my mail",
    "download a film", "take a nap", "fix the roof", "catch a mouse", "shovel snow", "rake the leaves",
    "lay the carpet", "hang up the washing", "wash the windows", "dust the shelves", "cook soup", "carve a statue",
    "dig a hole", "print a letter", "open the left drawer", "close the oven door", "turn on the television",
    "switch off the lamp", "set the alarm", "turn up the heating", "answer the phone", "send a message to my boss",
    "book a flight", "what is the capital of france", "do a handstand", "jump up and down", "clap your hands", "smile",
    "scratch my back", "massage my feet", "babysit the twins", "paint a picture of {x}", "glue {x} to {y}",
    "tie {x} to {y}", "stack {x} on {y}", "cover {x} with {y}", "mix {x} with {y}", "hammer on {x}", "sharpen {x}",
    "weigh {x}", "measure {x}", "sweep the stairs", "change the bulb", "plant a tree", "chase the cat out",
    "fly to the moon", "paint the wall", "call my mother", "fry an egg", "open the window", "switch on the light",
    "sing a song", "cut {x} in half", "eat {x}", "wash {x}", "cook {x}", "break {x}", "peel {x}", "pour water over {x}",
    "throw {x} at the wall", "climb on the roof", "play chess with me", "drive me to work", "iron my shirt",
    "water the lawn", "read me a story", "tell me a joke", "order a pizza", "walk the dog", "put {x} in the oven",
    "put {x} in the fridge", "heat {x} up", "bring {x} to the bedroom", "take {x} to the garage",
    "hang {x} on the ceiling", "repair the sink", "vacuum the floor", "open the top window", "close the front door",
    "lock the door", "turn off the radio", "paint {x} red", "melt {x}", "juggle with {x} and {y}", "knit a pullover",
    "take {x} to the basement", "unscrew the lamp",
)  # fmt: skip
SURFACES = {
    "close counter": (
        "the close counter",
        "the close counter",
        "the counter right beside you",
        "the counter within reach",
        "the counter a step away",
        "the counter at your side",
        "the counter in front of you",
        "the first counter",
        "the counter here",
        "the adjacent counter",
        "the counter on this side",
        "the counter that is closest",
        "the near counter",
        "the counter close by",
        "the counter right here",
        "the counter next to you",
        "the nearest counter",
        "the counter beside you",
        "the nearby counter",
        "the counter near you",
        "the closer counter",
    ),
    "far counter": (
        "the far counter",
        "the far counter",
        "the counter across the room",
        "the counter on the other side",
        "the counter in the distance",
        "the counter furthest away",
        "the counter at the far end",
        "the other counter",
        "the furthest counter",
        "the counter a long way off",
        "the counter on the far side",
        "the counter opposite",
        "the remote counter",
        "the counter over there",
        "the counter at the back",
        "the counter that is far off",
        "the faraway counter",
        "the distant counter",
        "the counter far away",
        "the farther counter",
    ),
    "table": (
        "the table",
        "the table",
        "the kitchen table",
        "the dinner table",
        "the table in the kitchen",
        "the table where we eat",
        "the big table",
        "the table",
        "the table top",
        "the dining table",
    ),
    "trash can": (
        "the trash can",
        "the trash can",
        "the garbage bin",
        "the wastebasket",
        "the rubbish",
        "the garbage",
        "the trash bin",
        "the litter bin",
        "the rubbish can",
        "the rubbish bin",
        "the waste bin",
        "the dustbin",
        "the trash",
        "the bin",
        "the garbage can",
    ),
    "user": (
        "the user",
        "the user",
        "my seat",
        "my place",
        "where i sit",
        "my side",
        "the human",
        "me",
        "where i am",
        "the person",
    ),
}
DRAWERS = {
    "top drawer": (
        "the top drawer",
        "the top drawer",
        "the drawer right at the top",
        "the top one of the drawers",
        "drawer number one",
        "the drawer number one",
        "the drawer furthest up",
        "the drawer above the others",
        "the drawer over the middle one",
        "drawer one",
        "the topmost drawer",
        "the drawer at the top",
        "the first drawer",
        "the drawer on top",
        "the upper drawer",
        "the highest drawer",
        "the uppermost drawer",
    ),
    "middle drawer": (
        "the middle drawer",
        "the middle drawer",
        "the middle one of the drawers",
        "drawer number two",
        "the drawer halfway up",
        "the drawer between top and bottom",
        "the drawer below the top one",
        "the drawer above the bottom one",
        "drawer two",
        "the drawer under the first one",
        "the mid drawer",
        "the drawer between the others",
        "the drawer number two",
        "the centre drawer",
        "the drawer in the middle",
        "the second drawer",
        "the central drawer",
    ),
    "bottom drawer": (
        "the bottom drawer",
        "the bottom drawer",
        "the drawer right at the bottom",
        "the bottom one of the drawers",
        "drawer number three",
        "the drawer number three",
        "the drawer nearest the floor",
        "the drawer below the others",
        "the drawer under the middle one",
        "drawer three",
        "the bottommost drawer",
        "the drawer at the bottom",
        "the third drawer",
        "the last drawer",
        "the drawer down low",
        "the lower drawer",
        "the lowest drawer",
        "the undermost drawer",
    ),
}
NUMBERS = {1: ("one",), 2: ("two", "a pair of", "2", "a couple of"), 3: ("three", "3")}
OWN_START = 0.3
"""Share of a kitchen's tasks that is kept where they need another start: what is said of that is read for one task."""
OTHER_TAG = 0.4
"""Share of a training scene's tags that are called otherwise than in the lexicon."""
EMPHASIS = {"impossible": 1.7, "count": 1.4, "exclusion": 1.3, "dislike": 1.6, "verb": 1.3, "single primitive": 0.8}
"""How much more often a family is trained than tested: those that are the harder to learn."""
_SYLLABLES = (
    "bra", "zo", "min", "tel", "ka", "pur", "lo", "fen", "dra", "vi", "gul", "sha", "ro", "nix", "bel", "to",
)  # fmt: skip


@dataclass(frozen=True)
class Thing:
    """A thing of the lexicon: name, tags, description, and how else it is called."""

    name: str
    tags: tuple[str, ...]
    description: str
    aliases: tuple[str, ...]


@dataclass(frozen=True)
class KitchenTask:
    """One generated instruction; `family` names the kind of request."""

    family: str
    instruction: str
    start: KitchenState
    goal: KitchenGoal
    needs_scene: bool = False

    @property
    def impossible(self) -> bool:
        """True if nothing must be done."""
        return self.goal.impossible

    def fulfilled(self, state: KitchenState) -> bool:
        """True if the state is one that was asked for."""
        return self.goal.satisfied(self.start, state)


class CannotSayError(Exception):
    """The scene that was drawn offers nothing for this family."""


@cache
def _words() -> dict[str, Any]:
    tree: dict[str, Any] = yaml.safe_load(WORDS.read_text(encoding="utf-8"))
    return tree


def things(split: Split) -> list[Thing]:
    """Return the lexicon's things of a split."""
    lines = _words()["objects" if split == "train" else f"{split}_objects"]
    fields = [[field.strip() for field in line.split("|")] for line in lines]
    return [
        Thing(name, tuple(t.strip() for t in tags.split(",")), text, tuple(a.strip() for a in other.split(";")))
        for name, tags, text, other in fields
    ]


def world_things(world: World) -> list[Thing]:
    """Return a world's own things, one of each kind."""
    kinds = [o for o in world.objects if not o.name.rpartition(" ")[2].isdigit()]
    other = _words()["aliases"]
    return [Thing(o.name, o.tags, o.description, tuple(other.get(o.name, ()))) for o in kinds]


def kept(sayings: Sequence[str], split: Split) -> Sequence[str]:
    """Return the sayings of a split: the last is the test's, the one before it development's."""
    if len(sayings) < 3:
        return sayings
    return {"train": sayings[:-2], "dev": sayings[-2:-1], "test": sayings[-1:]}[split]


class KitchenGenerator:
    """Draws tasks of one split.

    Args:
      world: Places and skills; its things are among those that scenes are made of.
      split: Which frames, needs and things are used. Development and test use those of training as well for what is
        around, never for what is asked for.
      seed: Of everything random.
      new_things: Scenes are made of things of the split alone: a world that nobody was trained on.
      typos: Share of sentences with a slip of the keyboard.
    """

    start: KitchenState
    scene: list[Thing]
    instances: dict[str, list[str]]

    def __init__(self, world: World, split: Split, seed: int, new_things: bool = False, typos: float = 0.08) -> None:
        self.world, self.split, self.new_things, self.typos = world, split, new_things, typos
        self.rng = np.random.default_rng([seed, 7, ("train", "dev", "test").index(split), int(new_things)])
        self.own = things(split)
        self.home = world_things(world)
        others = [*things("train"), *(self.own if split != "train" else [])]
        self.pool = self.own if new_things else [*self.home, *others]
        words = _words()
        self._sayings: dict[str, dict[str, list[str]]] = dict(words["tags"])
        if split != "train":
            self._sayings |= words[f"{split}_tags"]
        self.tags = self._sayings

    def draw(self, family: str | None = None) -> KitchenTask:
        """Draw one task, of a given family or of a random one."""
        family = family or self._family()
        while True:
            self._scene()
            task = self._task(family)
            if task is not None:
                return task

    def draw_together(self, tasks: int) -> list[KitchenTask]:
        """Draw at most so many tasks, of random families, in one kitchen; some begin in a state of their own."""
        self._scene()
        scene: KitchenState = self.start
        drawn = []
        for _ in range(tasks):
            self.start = scene
            task = self._task(self._family())
            if task is not None and (task.start is scene or self.rng.random() < OWN_START):
                drawn.append(task)
        return drawn

    def _family(self) -> str:
        emphasis = EMPHASIS if self.split == "train" else {}
        weights = np.array([weight * emphasis.get(family, 1.0) for family, (_, weight) in FAMILIES.items()])
        return list(FAMILIES)[int(self.rng.choice(len(FAMILIES), p=weights / weights.sum()))]

    def _task(self, family: str) -> KitchenTask | None:
        """Draw a task of a family in the present kitchen; None if that offers nothing for it."""
        try:
            said, start, goal = FAMILIES[family][0](self)
        except CannotSayError:
            return None
        return KitchenTask(family, self._dress(said), start, goal)

    # The scene.

    def _scene(self) -> None:
        """Draw which things are there, where, and what the robot holds."""
        count = int(self.rng.choice((4, 5, 6, 7, 8, 9, 10, 12, 14, 18)))
        at_home = not self.new_things and self.rng.random() < 0.35
        pool = self.home if at_home else self.pool
        fresh = self.own if self.split != "train" and not at_home else pool
        chosen = self._shuffled(fresh)[: 2 + count // 3]
        if self.rng.random() < 0.4:  # things that have something in common, to be told apart
            tag = self.one(self.one(chosen).tags)
            chosen += [t for t in self._shuffled(pool) if tag in t.tags][:3]
        chosen += self._shuffled(pool)[:count]
        unique = self._shuffled(list({t.name: t for t in chosen}.values())[:count])
        if self.split == "train":
            unique = [self._renamed(t) if self.rng.random() < 0.25 else t for t in self._retagged(unique)]
        self.scene = list({t.name: t for t in unique}.values())
        names, objects = {}, []
        for thing in self.scene:
            instances = 1 + int(self.rng.random() < 0.15) + int(self.rng.random() < 0.05)
            names[thing.name] = [numbered(thing.name, n) for n in range(1, instances + 1)]
            objects += [
                WorldObject(n, "item", tags=self._tags(thing), description=self._text(thing)) for n in names[thing.name]
            ]
        self.instances = names
        spread = self._shuffled(["close counter", "far counter", "table"])[: int(self.rng.integers(2, 4))]
        locations = {}
        for o in objects:
            draw = self.rng.random()
            drawer = self.one(self.world.names_of_kind("drawer"))
            locations[o.name] = drawer if draw < 0.1 else "user" if draw < 0.12 else self.one(spread)
        if self.rng.random() < 0.4:
            locations[self.one(list(locations))] = HAND
        robot_at = self.one((*self.world.names_of_kind("surface|person"), ""))
        opened = frozenset(d for d in self.world.names_of_kind("drawer") if self.rng.random() < 0.08)
        self.start = KitchenState(replace(self.world, objects=tuple(objects)), robot_at, locations, opened)

    def _renamed(self, thing: Thing) -> Thing:
        """Return the thing under a name that nobody has heard."""
        name = "".join(self.one(_SYLLABLES) for _ in range(2))
        return Thing(name, thing.tags, thing.description, (name,))

    def _retagged(self, things: Sequence[Thing]) -> list[Thing]:
        """Give some of the tags other names in this scene: it is the prompt that says how its tags are called."""
        here = {tag for thing in things for tag in thing.tags}
        called = {
            tag: self.one(sayings["also"]) if tag in here and self.rng.random() < OTHER_TAG else tag
            for tag, sayings in self._sayings.items()
        }
        self.tags = {called[tag]: sayings for tag, sayings in self._sayings.items()}
        return [replace(thing, tags=tuple(called.get(tag, tag) for tag in thing.tags)) for thing in things]

    def _tags(self, thing: Thing) -> tuple[str, ...]:
        tags = self._shuffled(thing.tags) if self.rng.random() < 0.5 else list(thing.tags)
        return tuple(tags)

    def _text(self, thing: Thing) -> str:
        return thing.description if self.rng.random() < 0.8 else ""

    # Words.

    def one(self, choices: Sequence[Any]) -> Any:
        """Draw one of `choices`. Raises CannotSayError if there is none."""
        if not len(choices):
            raise CannotSayError
        return choices[int(self.rng.integers(len(choices)))]

    def _shuffled(self, items: Sequence[Any]) -> list[Any]:
        return [items[i] for i in self.rng.permutation(len(items))]

    def frame(self, frames: Sequence[str]) -> str:
        """Draw a frame of this split; half of the time development and test use one of training."""
        split = "train" if self.rng.random() < 0.5 else self.split
        return str(self.one(kept(frames, split)))

    def place(self, place: str) -> str:
        """Return a way to name a place or a drawer."""
        return self.frame({**SURFACES, **DRAWERS}.get(place, (f"the {place}",)))

    def free(self, things: Sequence[Thing]) -> list[Thing]:
        """Return those of which no instance is in the hand."""
        return [t for t in things if self.start.held not in self.instances[t.name]]

    def asked(self) -> Thing:
        """Draw a thing of the scene to speak about; outside training one that is new, where there is one."""
        new = [t for t in self.scene if t in self.own] if self.split != "train" else self.scene
        return self.one(new if new and self.rng.random() < 0.7 else self.scene)

    def called(self, thing: Thing, alias: float = 0.0) -> str:
        """Return a way to name a thing."""
        name = self.one(thing.aliases) if thing.aliases and self.rng.random() < alias else thing.name
        return f"{self.one(('the', 'the', article(name)))} {name}"

    def with_tag(self, tag: str, without: str = "") -> tuple[str, ...]:
        """Return the instances of things that have a tag, and not another."""
        found = [t for t in self.scene if tag in t.tags and without not in t.tags]
        return tuple(name for t in found for name in self.instances[t.name])

    def of(self, thing: Thing) -> tuple[str, ...]:
        """Return a thing's instances."""
        return tuple(self.instances[thing.name])

    def tag_here(self, use: str) -> str:
        """Draw a tag that something in the scene has and for which there are sayings of use `use`."""
        here = {tag for t in self.scene for tag in t.tags}
        known = [t for t in self.tags if t in here and self.tags[t][use]]
        if self.split != "train" and self.rng.random() < 0.5:
            fresh = [t for t in known if t in _words()[f"{self.split}_tags"]]
            known = fresh or known
        return str(self.one(known))

    def need(self, tag: str, use: str) -> str:
        """Draw a saying for a tag; outside training one of the split's own."""
        return str(self.one(kept(self.tags[tag][use], self.split)))

    def noun(self, tag: str) -> str:
        """Draw a noun for things with a tag."""
        return str(self.one(self.tags[tag]["nouns"]))

    def _dress(self, sentence: str) -> str:
        command = not sentence.startswith(("i ", "my ", "the ", "could", "may", "do you", "is there", "there ", "it "))
        if command and self.rng.random() < 0.25:
            sentence = f"{self.one(POLITE_BEFORE)} {sentence}"
        if self.rng.random() < 0.12:
            sentence = f"{sentence}{self.one((',', ''))} {self.one(POLITE_AFTER)}"
        if self.rng.random() < self.typos:
            sentence = typo(sentence, self.rng)
        if self.rng.random() < 0.5:
            sentence = sentence[0].upper() + sentence[1:]
        asks = sentence.lower().startswith(("could", "can", "may", "would", "do you", "is there"))
        return sentence + ("?" if asks and self.rng.random() < 0.7 else str(self.one(("", "", ".", "."))))


Said = tuple[str, KitchenState, KitchenGoal]


def _elsewhere(g: KitchenGenerator, names: Sequence[str], to: str) -> None:
    """Raise CannotSayError if one of the things is there already: the request would be void."""
    if any(g.start.locations[name] == to for name in names):
        raise CannotSayError


def _single(g: KitchenGenerator, canonical: bool = True) -> Said:
    """One primitive skill, in its own words (canonical) or others."""

    def frame(frames: Sequence[str]) -> str:
        return frames[0] if canonical else g.frame(frames[2:])

    thing, place, drawer = g.asked(), g.one(g.world.names_of_kind("surface|person")), g.one(list(DRAWERS))
    said, names = g.called(thing), g.of(thing)
    kind = g.one(("pick", "find", "go", "open", "close", "release", "fetch"))
    if kind == "pick":
        return frame(PICK).format(x=said), g.start, KitchenGoal(hold=names)
    if kind == "find":
        return frame(FIND).format(x=said), g.start, KitchenGoal(find=names)
    if kind == "go":
        start = g.start
        if start.robot_at == place:
            start = replace(g.start, robot_at=g.one([p for p in SURFACES if p != place]))
        return (
            frame(GO).format(l=SURFACES[place][0] if canonical else g.place(place)),
            start,
            KitchenGoal(robot_at=place),
        )
    if kind == "release":
        thing, start = _holding(g)
        return frame(RELEASE).format(x=f"the {thing.name}"), start, KitchenGoal(release=True)
    if kind == "fetch":
        _elsewhere(g, names, "user")
        return frame(FETCH).format(x=said), g.start, KitchenGoal((Delivery(names, "user"),))
    name = DRAWERS[drawer][0] if canonical else g.place(drawer)
    if kind == "open":
        start = g.start
        if drawer in start.open:
            start = replace(g.start, open=g.start.open - {drawer})
        return frame(OPEN).format(d=name), start, KitchenGoal(opened=(drawer,))
    start = g.start
    if start.open:
        drawer = g.one(sorted(start.open))
        name = DRAWERS[drawer][0] if canonical else g.place(drawer)
    else:
        start = replace(g.start, open=frozenset({drawer}))
    return frame(CLOSE).format(d=name), start, KitchenGoal(closed=(drawer,))


def _holding(g: KitchenGenerator) -> tuple[Thing, KitchenState]:
    """Return what the robot holds, and the start: the present one, or another if the hand is empty."""
    if g.start.held is not None:
        return next(t for t in g.scene if g.start.held in g.of(t)), g.start
    thing = g.one(g.scene)
    start = replace(g.start.moved(g.of(thing)[0], HAND), robot_at=g.one(list(SURFACES)))
    return thing, start


def _other_verb(g: KitchenGenerator) -> Said:
    return _single(g, canonical=False)


def _deliver(
    g: KitchenGenerator, said: str, names: tuple[str, ...], count: int | None = 1, kind: str = ""
) -> tuple[str, Delivery]:
    """Draw where things go; return the sentence and the delivery."""
    draw = g.rng.random()
    if draw < 0.4:
        to, sentence = "user", g.frame(FETCH).format(x=said)
    elif draw < 0.72:
        to = g.one(("close counter", "far counter", "table"))
        sentence = g.frame(MOVE).format(x=said, l=g.place(to))
    elif draw < 0.87:
        to, sentence = "trash can", g.frame(TRASH).format(x=said)
    else:
        to = g.one(list(DRAWERS))
        sentence = g.frame(STOW).format(x=said, d=g.place(to))
    _elsewhere(g, names, to)
    return sentence, Delivery(names, to, count, kind)


def _structured(g: KitchenGenerator) -> Said:
    thing = g.asked()
    sentence, delivery = _deliver(g, g.called(thing), g.of(thing))
    return sentence, g.start, KitchenGoal((delivery,))


def _noun(g: KitchenGenerator) -> Said:
    """A thing by another name, or by its kind."""
    thing, tag = g.asked(), ""
    if g.rng.random() < 0.4 and thing.aliases:
        said, names = g.called(thing, alias=1.0), g.of(thing)
    else:
        tag = g.tag_here("nouns")
        noun = g.noun(tag)
        said, names = f"{g.one((article(noun), article(noun), 'any'))} {noun}", g.with_tag(tag)
    sentence, delivery = _deliver(g, said, names, kind=tag)
    return sentence, g.start, KitchenGoal((delivery,))


def _need(g: KitchenGenerator) -> Said:
    """A need or an indirect request."""
    draw = g.rng.random()
    if draw < 0.45:
        tag = g.tag_here("said")
        said = g.frame(CALLED_FOR).format(s=g.need(tag, "said"))
    else:
        tag = g.tag_here("something")
        said = g.frame(SOMETHING).format(s=g.need(tag, "something"))
    names = g.with_tag(tag)
    _elsewhere(g, names, "user")
    return said, g.start, KitchenGoal((Delivery(names, "user", kind=tag),))


def _exclusion(g: KitchenGenerator) -> Said:
    """A kind of thing, but not one with another property, or not a certain one."""
    tag = g.tag_here("nouns")
    noun = g.noun(tag)
    if g.rng.random() < 0.5:
        there = [t for t in g.scene if tag in t.tags]
        other = g.one(there)
        names, without = tuple(n for t in there if t is not other for n in g.of(t)), other.name
        phrase = g.frame(NOT).format(a=f"{article(noun)} {noun}", a0=noun, b=f"the {other.name}")
    else:
        also = g.one(
            [t for t in g.tags if t != tag and g.with_tag(tag, t) and len(g.with_tag(tag, t)) < len(g.with_tag(tag))]
        )
        names, without = g.with_tag(tag, also), also
        phrase = g.frame(WITHOUT).format(a=f"{article(noun)} {noun}", t=g.noun(also) if g.rng.random() < 0.7 else also)
    if not names:
        raise CannotSayError
    sentence, delivery = _deliver(g, phrase, names, kind=f"{tag}, not {without}")
    return sentence, g.start, KitchenGoal((delivery,))


def _dislike(g: KitchenGenerator) -> Said:
    """A kind of thing, and a remark on what it must not be."""
    tag = g.tag_here("nouns")
    noun = g.noun(tag)
    there = [t for t in g.scene if tag in t.tags]
    other = g.one(there)
    names = tuple(n for t in there if t is not other for n in g.of(t))
    if not names:
        raise CannotSayError
    _elsewhere(g, names, "user")
    wish = g.frame(FETCH).format(x=f"{article(noun)} {noun}")
    said = g.frame(CANNOT_STAND).format(b=other.name, do=wish)
    return said, g.start, KitchenGoal((Delivery(names, "user", kind=f"{tag}, not {other.name}"),))


def _about(g: KitchenGenerator) -> Said:
    """A remark on a thing, and what to do with "it"; perhaps something else after that."""
    thing = g.asked()
    sentence, delivery = _deliver(g, "it", g.of(thing))
    said = g.frame(ABOUT).format(x=f"the {thing.name}", do=sentence)
    if g.rng.random() < 0.6:
        return said, g.start, KitchenGoal((delivery,))
    then, after = _part(g)
    if set(after.candidates) & set(delivery.candidates):
        raise CannotSayError
    return f"{said} and {then}", g.start, KitchenGoal((delivery, after))


def _count(g: KitchenGenerator) -> Said:
    """So many, or all, of a kind."""
    tag = g.tag_here("nouns")
    names, noun, kind = g.with_tag(tag), g.noun(tag), tag
    if g.rng.random() < 0.4:
        thing = g.asked()
        names, noun, kind = g.of(thing), thing.name, thing.name
    different = g.rng.random() < 0.3
    if different:
        names = tuple({name.rstrip(" 0123456789"): name for name in reversed(names)}.values())
    if not 1 < len(names) < 5:
        raise CannotSayError
    if not different and g.rng.random() < 0.5:
        count, said = None, g.frame(ALL).format(k=plural(noun), k1=noun)
    else:
        count = int(g.rng.integers(2, min(3, len(names)) + 1))
        said = f"{g.one(NUMBERS[count])} {'different ' if different else ''}{plural(noun)}"
        kind = f"different {kind}" if different else kind
    sentence, delivery = _deliver(g, said, names, count, kind)
    return sentence, g.start, KitchenGoal((delivery,))


def _embodiment(g: KitchenGenerator) -> Said:
    """What to do depends on what is in the hand and where the robot is."""
    thing, start = _holding(g)
    g.start, held = start, start.held
    assert held is not None
    draw = g.rng.random()
    if draw < 0.3:
        to = g.one(("close counter", "far counter", "table"))
        return g.frame(HELD_TO).format(l=g.place(to)), start, KitchenGoal((Delivery((held,), to, kind=HELD),))
    if draw < 0.4:
        return g.one(kept(HAND_OVER, g.split)), start, KitchenGoal((Delivery((held,), "user", kind=HELD),))
    if draw < 0.5:
        return g.one(kept(THROW_IT, g.split)), start, KitchenGoal((Delivery((held,), "trash can", kind=HELD),))
    other = thing if draw < 0.65 else g.one([t for t in g.scene if t is not thing])
    names = (held,) if other is thing else g.of(other)
    sentence, delivery = _deliver(g, f"the {other.name}", names)
    return sentence, start, KitchenGoal((delivery,))


def _long(g: KitchenGenerator) -> Said:
    """Several things, one after the other."""
    draw = g.rng.random()
    if draw < 0.25:  # several things to one place
        some = g._shuffled(g.scene)[: int(g.rng.choice((2, 2, 3)))]
        listed = ", ".join(g.called(t) for t in some[:-1]) + f" and {g.called(some[-1])}"
        remark = g.rng.random() < 0.35
        sentence, first = _deliver(
            g, g.one(("them", "both" if len(some) == 2 else "all")) if remark else listed, g.of(some[0])
        )
        if remark:
            sentence = g.frame(THEM).format(x=listed, do=sentence)
        for t in some[1:]:
            _elsewhere(g, g.of(t), first.to)
        deliveries = [Delivery(g.of(t), first.to) for t in some]
        if remark and g.rng.random() < 0.5:
            then, after = _part(g)
            if any(set(after.candidates) & set(d.candidates) for d in deliveries):
                raise CannotSayError
            sentence, deliveries = f"{sentence} {g.one(('and', 'then', 'and then'))} {then}", [*deliveries, after]
        return sentence, g.start, KitchenGoal(tuple(deliveries))
    if draw < 0.4:
        place, to = g._shuffled(["close counter", "far counter", "table"])[:2]
        names = g.start.at(place)
        if not 1 <= len(names) <= 3:
            raise CannotSayError
        said = g.frame(EVERYTHING_AT).format(l=g.place(place), m=g.place(to))
        return said, g.start, KitchenGoal((Delivery(names, to, None, f"at {place}"),))
    if draw < 0.55:  # two kinds of things to one place
        a, b = g.tag_here("nouns"), g.tag_here("nouns")
        ones, others = g.with_tag(a), g.with_tag(b)
        if set(ones) & set(others):
            raise CannotSayError
        nouns = [f"{article(noun)} {noun}" for noun in (g.noun(a), g.noun(b))]
        sentence, delivery = _deliver(g, " and ".join(nouns), ones, kind=a)
        _elsewhere(g, others, delivery.to)
        return sentence, g.start, KitchenGoal((delivery, Delivery(others, delivery.to, kind=b)))
    parts = [_part(g) for _ in range(int(g.rng.choice((2, 2, 3))))]
    several = [set(delivery.candidates) for _, delivery in parts]
    if any(a & b for i, a in enumerate(several) for b in several[i + 1 :]):
        raise CannotSayError
    frame = g.frame(JOIN) if len(parts) == 2 else g.frame(JOIN3)
    sentence = frame.format(**dict(zip("abc", (said for said, _ in parts), strict=False)))
    return sentence, g.start, KitchenGoal(tuple(delivery for _, delivery in parts))


def _part(g: KitchenGenerator) -> tuple[str, Delivery]:
    """One of several requests."""
    draw = g.rng.random()
    if draw < 0.65:
        thing = g.asked()
        return _deliver(g, g.called(thing), g.of(thing))
    if draw < 0.8:
        tag = g.tag_here("nouns")
        noun = g.noun(tag)
        return _deliver(g, f"{article(noun)} {noun}", g.with_tag(tag), kind=tag)
    tag = g.tag_here("something")
    names = g.with_tag(tag)
    _elsewhere(g, names, "user")
    return g.frame(SOMETHING[:9]).format(s=g.need(tag, "something")), Delivery(names, "user", kind=tag)


def _impossible(g: KitchenGenerator) -> Said:
    """Nothing that was asked for is there, or no skill does it."""
    goal = KitchenGoal(impossible=True)
    draw = g.rng.random()
    if draw < 0.4:
        kept_frames = {"train": IMPOSSIBLE[:-6], "dev": IMPOSSIBLE[-6:-3], "test": IMPOSSIBLE[-3:]}[g.split]
        a, b = g._shuffled(g.scene)[:2]
        return g.one(kept_frames).format(x=f"the {a.name}", y=f"the {b.name}"), g.start, goal
    if draw < 0.75:
        missing = _absent(g)
        goal = KitchenGoal(impossible=True, missing=missing)
        to, frames = g.one((("user", FETCH), ("table", MOVE), ("trash can", TRASH), ("", PICK), ("", FIND)))
        return g.frame(frames).format(x=f"the {missing}", l=g.place(to) if to else ""), g.start, goal
    here = {tag for t in g.scene for tag in t.tags}
    tag = g.one([t for t in g.tags if t not in here and g.tags[t]["something"]])
    goal = KitchenGoal(impossible=True, missing=tag)
    draw = g.rng.random()
    if draw < 0.45:
        return g.frame(FETCH).format(x=f"{article(g.noun(tag))} {g.noun(tag)}"), g.start, goal
    if draw < 0.85 or not g.tags[tag]["said"]:
        return g.frame(SOMETHING).format(s=g.need(tag, "something")), g.start, goal
    return g.frame(CALLED_FOR).format(s=g.need(tag, "said")), g.start, goal


def _absent(g: KitchenGenerator) -> str:
    """Draw what a thing is called that is not there; half of the time one that resembles what is."""
    names = {name for t in g.scene for name in (t.name, *t.aliases)}
    absent = [t for t in (g.own if g.split != "train" else g.pool) if names.isdisjoint((t.name, *t.aliases))]
    if g.rng.random() < 0.5:
        words = {word for name in names for word in name.split()}
        absent = [t for t in absent if words & set(t.name.split())] or absent
    thing = g.one(absent)
    if g.split == "train" and g.rng.random() < 0.2:
        thing = g._renamed(thing)
    return str(thing.name)


FAMILIES: dict[str, tuple[Callable[[KitchenGenerator], Said], float]] = {
    "single primitive": (_single, 1.2),
    "verb": (_other_verb, 1.2),
    "noun": (_noun, 2.0),
    "structured": (_structured, 1.5),
    "embodiment": (_embodiment, 1.2),
    "need": (_need, 3.0),
    "exclusion": (_exclusion, 1.3),
    "dislike": (_dislike, 0.8),
    "remark": (_about, 1.0),
    "count": (_count, 1.6),
    "long-horizon": (_long, 2.0),
    "impossible": (_impossible, 2.0),
}
