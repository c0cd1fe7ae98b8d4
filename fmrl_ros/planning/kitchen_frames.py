"""How people say what they want in a kitchen: sentence frames by what is asked for, and names of places.

Training, development and test have frames of their own. In a frame ``{x}`` and ``{y}`` stand for things, ``{l}`` and
``{m}`` for places, ``{d}`` for a drawer.
"""

from __future__ import annotations

from dataclasses import dataclass

from fmrl_ros.planning.instructions import Split


@dataclass(frozen=True)
class Frames:
    """Ways to say one thing, by split; the first of training is the plainest."""

    train: tuple[str, ...]
    dev: tuple[str, ...]
    test: tuple[str, ...]

    def of(self, split: Split) -> tuple[str, ...]:
        """Return those of a split."""
        return {"train": self.train, "dev": self.dev, "test": self.test}[split]


# fmt: off
FETCH = Frames(
    train=(
        "bring me {x}", "fetch me {x}", "hurry and bring me {x}", "i am waiting for {x}",
        "would you mind bringing me {x}", "show up here with {x}", "come to me with {x}", "i feel like having {x}",
        "{x} would be great", "{x} for me", "how about {x} for me", "it would be nice to have {x}",
        "let {x} be brought to me", "hand {x} over to me", "provide me with {x}", "supply me with {x}",
        "may i ask for {x}", "i should like to have {x}", "get me {x}", "hand me {x}", "give me {x}", "pass me {x}",
        "bring {x} to me", "take {x} and give it to me", "pick up {x} and hand it to me",
        "pick {x} up for me and bring it", "lay hands on {x} and bring it to me",
        "take hold of {x} and pass it to me", "grab hold of {x} and come here with it", "i am in need of {x}",
        "arrange for {x} to get to me", "{x} is what i want", "run and fetch {x}", "lift {x} for me and bring it",
        "seize {x} for me", "bring {x} over here", "i want {x}", "i would like {x}", "i need {x}", "could i have {x}",
        "may i have {x}", "go and get {x} for me", "grab me {x}", "grab {x} for me", "let me have {x}", "find me {x}",
        "fetch {x}", "bring {x}", "i could use {x}", "serve me {x}", "deliver {x} to me", "carry {x} to me",
        "bring {x} to the user", "i am after {x}", "look for {x} and bring it here", "pick out {x} for me",
        "i would love {x}", "any chance of {x}", "i could murder {x} right now", "i would give my right arm for {x}",
        "what i am missing is {x}", "the next thing to do is to get {x} into my hands",
        "here are my empty hands, fill them with {x}", "rustle up {x} for me", "sling {x} my way",
        "{x}, over here, quick", "user wants {x}", "nip over and get {x}, i am too lazy to stand up",
        "since i cannot get up, {x} has to come to me", "i wonder whether {x} might find a way into my hands",
        "gimme {x}", "me want {x}", "it is high time i had {x}", "i was hoping to be handed {x}",
        "were you to turn up with {x}, i would be delighted",
        "if you are going that way, collect {x} and come back to me", "retrieve {x} and return to me",
        "hook me up with {x}", "why have i still not got {x}", "reach me {x}",
        "bring along {x} when you come over to me", "your job now is to see that i get {x}",
        "nothing would make me happier than having {x} in my hand", "i have been longing for {x} all day",
        "my old legs are tired, so you will have to get {x} for me", "trot off and be back here with {x}",
        "what would it take for me to get {x}", "{x} is wanted by me", "present me with {x}",
        "lay hold of {x} for me", "obtain {x} for me", "take {x} up for me", "snatch {x} for me", "acquire {x} for me",
        "secure {x} for me", "scoop up {x} for me", "get your hands on {x} for me", "nab {x} for me",
        "lay {x} in my hand", "place {x} in my open palm", "drop {x} into my lap",
        "i want {x} placed in my hand", "see that {x} gets into my hands", "{x} should land in my lap",
        "shoot {x} over to me", "direct {x} towards me", "throw {x} over here, i will catch it",
        "forward {x} to where i am", "without {x} i can do nothing",
        "equip me with {x}", "furnish me with {x}", "track down {x} for me", "dig up {x} for me",
        "see whether you can get {x} for me", "{x} is missing here, get it", "stop by with {x}",
    ),
    dev=("get hold of {x} for me", "put {x} into my hands", "do not come back without {x}"),
    test=("procure {x} for me", "retrieve {x} for me", "set me up with {x}", "send {x} my way"),
)
"""{x} to the user."""
MOVE = Frames(
    train=(
        "move {x} to {l}", "put {x} on {l}", "i would like to see {x} on {l}", "let {x} stand on {l}",
        "make sure that {x} ends up on {l}", "see to it that {x} gets to {l}", "put down {x} on {l}",
        "rest {x} on {l}", "park {x} on {l}", "position {x} on {l}", "{x} has to go to {l}",
        "fetch {x} and leave it on {l}", "pick up {x} and put it on {l}", "send {x} to {l}",
        "find {x} a place on {l}", "slide {x} over to {l}", "have {x} put on {l}", "place {x} on {l}",
        "grab {x} and set it on {l}", "{x} ought to be on {l}", "let me find {x} on {l}", "make room for {x} on {l}",
        "swing {x} over to {l}", "set {x} on {l}", "take {x} to {l}", "carry {x} to {l}", "bring {x} to {l}",
        "transfer {x} to {l}", "leave {x} on {l}", "drop {x} off at {l}", "deliver {x} to {l}",
        "{x} should go to {l}", "{x} belongs on {l}", "i want {x} on {l}", "get {x} over to {l}", "shift {x} to {l}",
        "lay {x} on {l}", "store {x} on {l}", "{x} must be on {l}", "plonk {x} on {l}", "stick {x} on {l}",
        "stand {x} on {l}", "bung {x} on {l}", "haul {x} over to {l}", "lug {x} across to {l}",
        "there is a gap on {l} waiting for {x}", "why is {x} not on {l} yet",
        "the next thing to do is to get {x} onto {l}", "could it be arranged that {x} stands on {l}",
        "when i turn round, i expect to see {x} on {l}", "i will need it there later, so {x} has to be taken to {l}",
        "{x}: to {l}", "{x} onto {l}, quick", "plop {x} down on {l}", "on {l} is where i want {x}",
        "i'd be happier if {x} were on {l}", "{x} is to be placed on {l}",
        "{l} looks so bare, {x} would look good on it", "ferry {x} to {l}",
        "{x} is in the wrong spot, the right one is on {l}", "dump {x} on {l}",
        "in five minutes i will come and look for {x} on {l}", "your task is to have {x} sitting on {l}",
        "the robot shall convey {x} to {l}", "how about giving {x} a spot on {l}",
        "mummy says that {x} must sit on {l}", "in my day {x} always stood on {l}, so that is where it goes",
        "unload {x} at {l}", "if {x} is not on {l} yet, change that", "you will find room on {l} for {x}",
        "don't give {x} to me, it is wanted on {l}",
    ),
    dev=("relocate {x} to {l}", "pop {x} on {l}", "use the free spot on {l} for {x}"),
    test=(
        "haul {x} to {l}", "ferry {x} across to {l}", "give {x} a new home on {l}",
        "go over to {l} with {x} and come away empty-handed",
    ),
)
"""{x} onto the surface {l}."""
TRASH = Frames(
    train=(
        "throw away {x}", "throw {x} away", "i want {x} thrown away", "{x} is rubbish", "{x} goes in the bin",
        "throw out {x}", "{x} must be thrown away", "remove {x}, it is garbage", "put {x} where the rubbish goes",
        "{x} has gone bad, throw it away", "nobody wants {x}, bin it", "drop {x} into the trash", "scrap {x}",
        "pitch {x} into the garbage can", "{x} belongs in the trash", "let {x} vanish in the bin",
        "carry {x} to the rubbish", "{x} should be thrown out", "we no longer need {x}, bin it", "out with {x}",
        "i want to be rid of {x}", "take {x} out with the rubbish", "{x} is waste, away with it",
        "put {x} in the trash", "dispose of {x}", "get rid of {x}", "trash {x}", "throw {x} in the bin",
        "move {x} to the trash can", "toss {x}", "{x} can go in the bin", "bin {x}", "put {x} in the garbage",
        "i do not need {x} any more, throw it out", "chuck {x}", "deep-six {x}", "lob {x} into the rubbish",
        "sling {x} in the bin", "{x} has had its day, into the bin with it",
        "{x} has seen better days, the bin is waiting", "i never want to see {x} again, into the trash can it goes",
        "say goodbye to {x} and drop it in the trash can", "the next thing to do is to throw {x} out",
        "why is {x} not in the trash yet", "the dustbin is hungry, feed it {x}",
        "{x} is good for nothing but the bin", "{x}: bin", "consign {x} to the waste", "{x} is to be disposed of",
        "{x} is past saving, chuck it", "yuck, {x} has to go in the bin", "{x} stinks, off to the trash with it",
        "the bin lorry comes tomorrow, so {x} goes in the trash today",
        "it is time to part with {x}, the bin can have it",
        "do we still need {x}? no, so out it goes with the rubbish", "{x} is mouldy, you know where the bin is",
        "treat {x} as garbage", "the only fitting place for {x} is the garbage can",
        "{x} is broken and of no use, so it can be scrapped", "let the trash can have {x}",
        "{x} is fit only for the landfill", "i'd like {x} gone, in the bin i mean",
        "there is no point in keeping {x}, toss it out",
        "nobody is ever going to use {x} again, so let it end up in the trash",
        "clear {x} away for good, straight into the garbage",
        "i can't think why we have kept {x} so long, it is just trash",
    ),
    dev=("discard {x}", "feed {x} to the trash can", "ditch {x}"),
    test=(
        "chuck {x} into the trash can", "junk {x}", "leave {x} for the garbage men to take away",
        "the only place for {x} is the bin",
    ),
)
"""{x} into the trash can."""
STOW = Frames(
    train=(
        "put {x} in {d}", "place {x} in {d}", "lay {x} in {d}", "lock {x} away in {d}", "{x} should be in {d}",
        "{x} goes into {d}", "i want {x} in {d}", "drop {x} into {d}", "let {x} disappear in {d}",
        "leave {x} inside {d}", "clear {x} away into {d}", "shut {x} up in {d}", "{x} must go inside {d}",
        "i would like {x} inside {d}", "{d} is the place for {x}", "open {d} and put {x} in it", "pack {x} into {d}",
        "deposit {x} in {d}", "put {x} into {d}", "store {x} in {d}", "hide {x} in {d}", "{x} belongs in {d}",
        "keep {x} in {d}", "move {x} into {d}", "tuck {x} away in {d}", "pop {x} into {d}", "bung {x} in {d}",
        "file {x} away in {d}", "shove {x} into {d}", "bury {x} deep in {d}", "{x} lives in {d}",
        "the home of {x} is {d}", "return {x} to {d}", "is there room for {x} in {d}? then that is where it goes",
        "why is {x} lying out here and not inside {d}", "{d} should have {x} inside it by the time i am back",
        "the next thing to do is to get {x} into {d}", "{x}: into {d}", "{x} is to be kept in {d} from now on",
        "i don't want {x} lying around, {d} will do nicely", "so that nobody trips over it, {x} has to go into {d}",
        "house {x} in {d}", "{d} is waiting for {x}, in with it", "no one should see {x}, and inside {d} no one will",
        "let {d} swallow {x}", "when i look in {d} tonight, i want to find {x} there",
        "{x} sleeps in {d}, so tuck it in", "mum keeps {x} in {d}, and so should you",
        "for forty years i have kept {x} in {d}, so back in there it goes", "could {x} be tidied away into {d}",
        "have {x} put by in {d}", "{d} has space and {x} needs some, you know what to do", "load {x} into {d}",
        "the safest spot for {x} is inside {d}", "{x} is out of place, it ought to be sitting in {d}",
        "out of sight with {x}, into {d} i mean",
    ),
    dev=("stow {x} in {d}", "slip {x} into {d}", "get {x} out of sight, {d} will do"),
    test=(
        "tuck {x} into {d}", "stash {x} in {d}", "i want to find {x} when i pull out {d}",
        "add {x} to the contents of {d}",
    ),
)
"""{x} into the drawer {d}."""
PICK = Frames(
    train=(
        "pick up {x}", "pick up {x}", "seize {x}", "snatch {x}", "pick out {x} and keep it in your hand",
        "get hold of {x} and wait", "take hold of {x}", "raise {x}", "keep {x} in your gripper",
        "close your fingers around {x}", "have {x} in your hand", "gather up {x}", "lift {x} up",
        "secure {x} in your gripper", "scoop up {x}", "take {x} and hold it", "pick {x} up", "take {x}", "grab {x}",
        "grab hold of {x}", "lift {x}", "hold {x}", "get {x} in your hand", "take {x} in your hand",
        "clutch {x} and hang on to it", "take {x} off its resting place and hold on", "wrap your fingers round {x}",
        "your gripper is empty, let it close on {x}", "hoist {x}", "be holding {x} when i look again",
        "the next thing to do is to pick up {x}", "{x}, up with it and then stay put",
        "i want to see {x} in your gripper", "{x} should be in your grasp", "latch on to {x}",
        "pluck {x} from where it is", "grip {x} tightly", "{x} is to be held by you", "get your mitts on {x}",
        "nab {x} and hold it tight", "don't give me {x}, just hold it in your hand",
        "how about lifting {x} and keeping it in the air", "could {x} be picked up by you",
        "my own hands are full, so you hold {x} for the time being", "why is your hand empty when {x} could be in it",
        "collect {x} and hold on to it",
        "grab {x} and stay there", "collect {x} and wait for my word", "get hold of {x} and keep holding it",
    ),
    dev=("grasp {x}", "get a firm grip on {x}", "fish out {x} and do not let go"),
    test=("clasp {x}", "clutch {x}", "hoist {x} into the air", "i want your gripper wrapped around {x}"),
)
"""{x} into the hand."""
FIND = Frames(
    train=(
        "find {x}", "find {x}", "show me where {x} is", "spot {x}", "go where {x} is", "try to find {x}",
        "discover {x}", "drive up to {x}", "see where {x} is", "find out where {x} is", "get near {x}",
        "approach {x}", "have a look for {x}", "lead me to {x}", "check where {x} is", "find the spot where {x} is",
        "locate {x}", "look for {x}", "go to {x}", "search for {x}", "where is {x}, go there", "track down {x}",
        "go and find {x}", "where on earth is {x}, go and stand beside it", "hunt for {x}", "seek out {x}",
        "sniff out {x}", "ferret out {x}", "i have lost {x}, help me look", "have you any idea where {x} has got to",
        "take up position next to {x}", "park yourself beside {x}", "i wonder where {x} may be",
        "{x} has gone missing, see if it turns up", "point {x} out by driving up to it",
        "i can't see {x} anywhere, but maybe you will", "get close to {x}", "go up to {x}, but leave it where it is",
        "where did i put {x}, lead the way", "the next thing to do is to find {x}", "where's {x} hiding",
        "keep your eyes peeled for {x} and stop beside it", "{x} needs to be located", "stand in front of {x}",
        "make for the place where {x} is", "don't touch {x}, just drive to where it is", "what has become of {x}",
    ),
    dev=("seek {x}", "scout around for {x}", "plant yourself in front of {x}"),
    test=("hunt down {x}", "pay a visit to {x}", "i wonder where {x} could be, go and see", "pull up beside {x}"),
)
"""The robot to {x}."""
GO = Frames(
    train=(
        "go to {l}", "go to {l}", "drive over to {l}", "please be at {l}", "get yourself to {l}",
        "make your way to {l}", "walk to {l}", "i want you at {l}", "position yourself at {l}", "wait at {l}",
        "stand by {l}", "approach {l}", "be at {l}", "take yourself to {l}", "stop at {l}", "station yourself by {l}",
        "i need you at {l}", "turn up at {l}", "drive to {l}", "move to {l}", "head to {l}", "come to {l}",
        "go over to {l}", "navigate to {l}", "travel to {l}", "move over to {l}", "trundle over to {l}",
        "off you go to {l}", "toddle along to {l}", "your place is at {l} now", "why are you not at {l} yet",
        "how about a little trip to {l}", "get your wheels over to {l}", "the next stop is {l}",
        "the next thing to do is to drive to {l}", "scoot over to {l}", "relocate yourself to {l}",
        "shift yourself to {l}", "hop over to {l}", "steer towards {l} and halt there", "set course for {l}",
        "{l} is your destination", "to {l}, chop chop", "pay a visit to {l}",
        "i would feel better with you standing near {l}", "you are in the way here, go and stand next to {l}",
        "take up your post by {l}", "bring yourself to {l}", "return to {l}",
    ),
    dev=("roll over to {l}", "hurry across to {l} and stay there", "step up to {l}"),
    test=("proceed to {l}", "trundle along to {l}", "do not halt until you reach {l}", "the destination is {l}"),
)
"""The robot to {l}."""
OPEN = Frames(
    train=(
        "open {d}", "open {d}", "pull {d} open", "draw {d} open", "i want {d} open", "i need {d} open",
        "tug {d} open", "see that {d} is open", "let {d} be open", "get {d} open", "open up {d}", "yank {d} open",
        "ease {d} open", "jerk {d} open", "undo {d}", "pull {d} out as far as it goes",
        "i'd like a peek into {d}, so pull it out", "{d} should be standing open",
        "why is {d} still shut, change that", "the next thing to do is to open {d}", "{d} needs opening",
        "{d} is to be opened", "give {d} a tug so that it opens", "could {d} be opened", "have {d} open for me",
        "don't leave {d} closed", "{d}, open sesame", "i cannot get {d} open myself, so you do it",
        "let me see what is inside {d}", "take the handle of {d} and pull", "make {d} come open",
        "{d} is closed and i want the opposite", "{d}: open", "let some air into {d}",
    ),
    dev=("pull out {d}", "give me a look inside {d}", "roll {d} out towards you"),
    test=(
        "slide {d} open", "do not leave {d} shut", "i have to be able to reach into {d}",
        "give the handle of {d} a pull",
    ),
)
"""The drawer {d}."""
CLOSE = Frames(
    train=(
        "close {d}", "close {d}", "shut {d}", "i want {d} closed", "make sure that {d} is shut", "let {d} be closed",
        "press {d} shut", "{d} should be closed", "see that {d} is closed", "get {d} closed", "push {d} shut",
        "bang {d} shut", "ease {d} shut", "shove {d} closed", "push {d} back in", "slide {d} home",
        "{d} needs closing", "{d} is to be shut", "who left {d} open, close it", "were you born in a barn, shut {d}",
        "why is {d} still open, change that", "{d} has no business being open", "don't leave {d} open",
        "have {d} closed by the time i look", "the next thing to do is to close {d}", "nudge {d} until it is closed",
        "could {d} be closed", "{d}: shut", "i keep bumping into {d}, push it in",
        "i don't want to see into {d}, so shut it", "return {d} to its closed position",
        "nobody is using {d} any more, close it up", "{d} is sticking out, push it in",
        "before a child traps a finger, close {d}",
    ),
    dev=("push {d} in", "i bumped into {d}, it should not stick out", "make {d} flush with the rest again"),
    test=("slide {d} shut", "slam {d}", "do not leave {d} standing open", "shove {d} back in its place"),
)
"""The drawer {d}."""
RELEASE = Frames(
    train=(
        "put down {x}", "put {x} down", "set {x} down", "let go of {x}", "put {x} somewhere", "let {x} go",
        "place {x} anywhere", "free your hand of {x}", "stop holding {x}", "drop {x}", "lay {x} down",
        "relinquish {x}", "unhand {x}", "release your grip on {x}", "loosen your fingers so that {x} comes free",
        "open your gripper and let {x} out", "rid your gripper of {x}", "you need not hold {x} any longer",
        "your hand should not have {x} in it any more", "plonk {x} down wherever you like",
        "park {x} wherever there is room", "find any old spot for {x}", "leave {x} in any place that suits you",
        "{x} may rest anywhere, only not in your hand", "let {x} out of your grasp", "why are you still holding {x}",
        "do not keep hold of {x}", "i want your hand empty, so {x} must be put down",
        "the next thing to do is to let go of {x}", "{x} can be set down now",
        "you must be tired of holding {x}, put it down", "unload {x} somewhere, it does not matter where",
        "stop clinging to {x}", "pop {x} down", "let {x} slip from your fingers",
    ),
    dev=("release {x}", "loosen your grip on {x}", "do not carry {x} around any longer"),
    test=(
        "rest {x}", "open your fingers until {x} comes free", "unload {x} wherever you like",
        "i want {x} out of your grip",
    ),
)
"""{x} out of the hand."""
HELD_TO = Frames(
    train=(
        "put what is in your hand on {l}", "lay what you are holding on {l}", "go and put it on {l}",
        "let it stand on {l}", "get it over to {l}", "the thing in your hand goes to {l}", "deliver it to {l}",
        "put it on {l}", "place what you hold on {l}", "take it to {l}", "bring it to {l}", "move it to {l}",
        "leave what is in your hand on {l}", "carry it over to {l}", "set it down on {l}", "stand it on {l}",
        "plonk it on {l}", "park the thing you are carrying on {l}", "your load belongs on {l}", "off to {l} with it",
        "that goes on {l}", "what you have got there should go to {l}",
        "why are you still holding it, it should be on {l}", "empty your hand at {l}",
        "let {l} have what you are carrying", "whatever you have in your grip is meant for {l}",
        "the next thing to do is to lay it on {l}", "lug that over to {l}",
    ),
    dev=("set it on {l}", "part with your load on {l}", "the item you are carrying should end up on {l}"),
    test=(
        "drop it off at {l}", "empty your gripper on {l}",
        "stroll over to {l} with the thing you are gripping and leave it there",
        "i need the thing between your fingers on {l}",
    ),
)
"""What is in the hand onto {l}."""
HAND_OVER = Frames(
    train=(
        "bring me what you hold", "i take what you have in your hand", "come here with it",
        "i want what you are holding", "hand me what is in your hand", "bring it to me", "give it to me",
        "hand it over", "i'll take that", "pass it here", "gimme that", "what you are holding is for me",
        "put it in my hand", "over here with that, to me", "that is mine, let me have it",
        "i'd like that thing you have got there", "may i relieve you of what you are carrying",
        "do not stand there holding it, pass it to me", "your load is meant for me",
        "let it change hands, from yours to mine", "i am the one who wants that, bring it over",
        "the next thing to do is to give me what you hold",
    ),
    dev=("let me have it", "present me with what you are gripping", "put that thing into my hands"),
    test=(
        "pass it to me", "let me take that off you", "the thing between your fingers is meant for me",
        "surrender your load to me",
    ),
)
"""What is in the hand to the user."""
THROW_IT = Frames(
    train=(
        "what you hold is rubbish, throw it away", "throw out what is in your hand", "put what you hold in the bin",
        "off to the trash can with it", "toss it", "throw it away", "put it in the trash", "get rid of it",
        "chuck it", "dump it in the garbage", "that is garbage, into the can with it",
        "away with that, into the rubbish", "ditch what you are carrying",
        "what you have got there belongs in the bin", "discard it",
        "that thing in your hand has had its day, trash it", "feed it to the trash can",
        "scrap that thing you are holding", "nobody wants that, throw it out",
        "let the bin have what is in your gripper", "why are you holding rubbish, into the bin with it",
    ),
    dev=("bin it", "feed the bin with what you carry", "ditch that thing"),
    test=(
        "dispose of it", "empty your gripper over the dustbin", "leave that thing for the garbage men to take away",
        "the only place for what you carry is the bin",
    ),
)
"""What is in the hand into the trash can."""
SOMETHING = Frames(
    train=(
        "bring me something {s}", "i want something {s}", "something {s} would be nice", "i feel like something {s}",
        "let me have something {s}", "what have you got {s}", "anything {s} will do", "is there anything {s}",
        "i could use something {s}", "would you happen to have something {s}", "serve me something {s}",
        "grab me something {s}", "i long for something {s}", "i crave something {s}", "what i need is something {s}",
        "bring something {s} over", "i would be glad of something {s}", "let there be something {s} for me",
        "something {s} is what i want", "get me something {s}", "i need something {s}", "fetch me something {s}",
        "could i have something {s}", "find me something {s}", "i would like something {s}", "give me something {s}",
        "is there something {s}, bring it to me", "do you have something {s}, i would like it",
        "hand me something {s}", "look for something {s} and bring it", "any chance of something {s}",
        "i could murder something {s}", "i would not say no to something {s}", "surprise me with something {s}",
        "treat me to something {s}", "hook me up with something {s}", "sort me out with something {s}",
        "i'm dying for something {s}", "gimme something {s}", "see if you have anything {s} and bring it here",
        "is anything {s} to be had", "there must be something {s} in this kitchen, i want it",
        "if there is anything {s}, i will have it", "the next thing to do is to bring me something {s}",
        "do we own anything {s}? it is wanted here", "come back to me with something {s}",
        "my request is for something {s}", "what about something {s} for me",
        "i am not fussy, it just has to be something {s}", "it does not matter what, as long as it is something {s}",
        "where can i get something {s}", "i am on the lookout for something {s}",
        "i've got a craving for something {s}", "i'm in the mood for something {s}", "something {s} is called for",
        "something {s}, quick", "me need something {s}", "an old man like me needs something {s}",
        "i find myself without anything {s}", "choose something {s} for me and bring it",
        "would it be possible to get something {s}", "right now nothing beats something {s}",
        "i was wondering if you had anything {s}", "my kingdom for something {s}",
    ),
    dev=(
        "i am looking for something {s}", "rustle up something {s}", "there is nothing {s} where i sit, change that",
    ),
    test=(
        "could you spare me something {s}", "set me up with something {s}", "i wish i had something {s}",
        "come up with something {s} and send it my way",
    ),
)
"""A thing that fits {s}."""
CALLED_FOR = Frames(
    train=(
        "{s}, can you help", "{s}, bring me something for that", "{s}, what would help",
        "{s}, i need something for it", "{s}, could you bring something useful", "{s}, any idea",
        "what can you do for me, {s}", "{s}, please help me out", "{s}, give me something", "listen, {s}",
        "oh dear, {s}", "the thing is, {s}", "i must say, {s}", "to be honest, {s}", "look, {s}", "well, {s}",
        "as you can see, {s}", "{s}, is there a remedy", "{s} and i do not know what to do", "guess what, {s}",
        "{s}, surely you have something", "robot, {s}", "sorry to bother you, {s}", "{s}, what now",
        "{s}, what do you suggest", "you know, {s}", "{s}, what can you bring me", "{s}, fetch me something for it",
        "{s}, get me something that helps", "{s}, do something about it", "{s}, bring me the right thing", "{s}",
        "{s}, so bring me something suitable", "{s}, and that is why i am talking to you",
        "{s}, what have you got for that", "{s}, so what should i use", "would you believe it, {s}",
        "i hate to say it, but {s}", "just so you know, {s}", "it so happens that {s}", "the trouble is that {s}",
        "my problem is this: {s}", "here is the situation: {s}", "i will tell you what is the matter: {s}",
        "do you hear me, {s}", "goodness me, {s}", "blimey, {s}", "oh man, {s}", "ugh, {s}",
        "can you believe that {s}", "{s}, and you are the only one who can help",
        "{s}, there must be something in this kitchen for that", "{s}, don't just stand there", "{s}, be my hero",
        "{s}, so off you go and get what i need", "{s}, you know what i need", "{s}, what would you use in my place",
        "{s}, isn't there anything you could bring me", "{s}, and it will not get better by itself",
        "since {s}, i need your help", "because {s}, something has to be brought to me",
        "now that {s}, what can you fetch me", "i would not ask without a reason, but {s}", "as so often, {s}",
        "between you and me, {s}", "not that i want to complain, but {s}", "dear oh dear, {s}, and at my age",
    ),
    dev=("help me, {s}", "i hate to complain, but {s}", "{s}, see what you can dig up"),
    test=(
        "{s}, have you got anything for me", "{s}, what would you pick for me", "believe me, {s}",
        "my trouble is this: {s}",
    ),
)
"""A thing that the remark {s} calls for."""
NOT = Frames(
    train=(
        "{a} that is not {b}", "{a} other than {b}", "{a}, only not {b}", "{a} which is not {b}",
        "{a} as long as it is not {b}", "{a} apart from {b}", "{a}, {b} excluded", "{a} instead of {b}",
        "{a} and definitely not {b}", "{a} unless it is {b}", "another {a0} than {b}", "{a} besides {b}",
        "{a}, leaving out {b}", "not {b} but another {a0}", "{a}, but leave {b} alone", "{a} different from {b}",
        "{a} but not {b}", "any {a0} except {b}", "{a} with the exception of {b}", "{a}, barring {b}",
        "{a} save for {b}", "{a}, whichever you like except {b}", "some {a0} or other, only not {b}",
        "some other {a0} than {b}", "any {a0} aside from {b}", "any {a0} at all, provided it is not {b}",
        "a different {a0} from {b}", "{a}, though not {b}", "{a}, just don't make it {b}", "{a} (not {b})",
        "{a}, with {b} off the list", "{a}, {b} does not count", "{a}, no matter which, but {b} stays where it is",
        "{a} in place of {b}", "{a} rather than {b}", "one {a0}, not {b} though", "an alternative {a0} to {b}",
        "{a} so long as {b} is left out of it", "{a} and by no means {b}", "{a}, {b} being ruled out",
        "{a} excluding {b}", "{a} and under no circumstances {b}",
    ),
    dev=("{a}, just not {b}", "{a}, disregarding {b}", "{a}, though {b} does not qualify"),
    test=(
        "{a}, anything but {b}", "{a} you would never mistake for {b}", "whichever {a0} you like, {b} does not count",
        "{a}, with {b} off limits",
    ),
)
"""{a}, a {a0}, but not {b}."""
WITHOUT = Frames(
    train=(
        "{a} that is not {t}", "{a} that is no {t}", "{a}, not a {t}", "{a} other than a {t}",
        "{a}, as long as it is not a {t}", "{a} except a {t}", "{a}, {t} excluded", "{a} unless it is a {t}",
        "{a} which is not a {t}", "{a} that is anything but a {t}", "{a} which does not count as {t}",
        "{a}, anything but {t}", "{a}, no {t} though", "{a}, just no {t}", "{a}, {t} is off the list",
        "{a}, so long as it is no {t}", "{a} provided that it is not {t}", "{a} (no {t})",
        "{a} that is by no means {t}", "{a} and under no circumstances a {t}", "{a} that could not be called a {t}",
    ),
    dev=("{a}, but no {t}", "{a}, with every {t} ruled out", "{a}, though a {t} would be wrong"),
    test=(
        "{a} but not a {t}", "{a} from outside the {t} family", "{a} that nobody would call a {t}",
        "{a}, and mind that a {t} does not count",
    ),
)
"""{a} that is no {t}."""
ALL = Frames(
    train=(
        "all the {k}", "every {k1}", "all {k}", "the whole lot of {k}", "any and all {k}", "every single {k1}",
        "as many {k} as there are", "the complete set of {k}", "each {k1}", "the entire collection of {k}",
        "every last one of the {k}", "every last {k1}", "any {k} that you come across", "whatever {k} there are",
        "the {k}, every one of them", "the {k}, all of them", "the full set of {k}", "the entire stock of {k}",
        "every {k1} there is", "every {k1} in the room",
        "the {k}, leaving none behind", "the {k}, one and all", "the {k}, not leaving out a single one",
        "the {k} in full", "the {k}, to the very end of the supply", "the {k}, no {k1} forgotten",
        "the {k}, one after the other until none is left",
        "the {k}, the whole bunch of them",
        "more than one {k1}, namely all there are", "each of the {k}", "all the {k} you see", "all {k} that are here",
        "all {k}, big or small,", "the lot of the {k}", "everything that counts as {k1}", "the {k}, each in turn",
        "the {k} one by one, all of them", "all the {k} in existence", "all your {k}", "the sum total of the {k}",
    ),
    dev=("all of the {k}", "the {k}, down to the last one", "not just one {k1} but the lot"),
    test=(
        "each and every {k1}", "the {k} without exception", "whatever {k} you can find",
        "the {k}, however many there are",
    ),
)
"""All {k}; {k1} is their singular."""
JOIN = Frames(
    train=(
        "{a}, also {b}", "{a}. then {b}", "{a}; and {b}", "{a} and also {b}", "{a}, when you are done {b}",
        "please do two things: {a} and {b}", "{a}, and while you are at it {b}", "{a} and next {b}", "{a} and {b}",
        "{a}, then {b}", "{a} and then {b}", "first {a}, then {b}", "{a}, and once that is done {b}",
        "two jobs for you: {a}, and {b}", "{a} before anything else, then {b}",
        "begin like this: {a}. after that {b}", "{a}. oh, and {b}", "{a}. when that is finished, {b}", "{a} plus {b}",
        "{a}, and do not forget this one: {b}", "{a}. another thing: {b}",
        "there is more than one thing to do: {a}, and {b}", "{a}, and in addition {b}",
        "{a}, the second job is this: {b}",
    ),
    dev=("{a}, after that {b}", "{a}, but do not stop there: {b}", "to begin with {a}, later on {b}"),
    test=(
        "{a}; afterwards {b}", "{a}, followed by this: {b}", "{a}, plus one more thing: {b}",
        "step one: {a}. step two: {b}",
    ),
)
"""Two requests."""
JOIN3 = Frames(
    train=(
        "{a}; {b}; {c}", "{a}. {b}. {c}", "{a}, also {b}, and {c}", "{a}, after that {b}, and in the end {c}",
        "start with this: {a}, then {b}, and last {c}", "{a}, {b} and {c}", "first {a}, then {b}, finally {c}",
        "three things: {a}, {b}, {c}", "{a}, next {b}, and after that {c}",
        "{a}. once you have done that, {b}. and to finish, {c}", "to begin with {a}, then {b}, lastly {c}",
        "{a} plus {b} plus {c}", "here is the list: {a}; {b}; {c}", "{a} and {b} and {c}",
        "{a}, {b}, and while you are at it {c}", "{a}. also {b}. oh, and {c}", "the jobs for today: {a}, {b}, {c}",
        "{a}, in addition {b}, and do not forget this: {c}", "firstly {a}, secondly {b}, thirdly {c}",
        "{a}. {b}. and one more thing: {c}",
    ),
    dev=(
        "{a}, then {b}, then {c}", "{a}, but do not stop there: {b}, and on top of that {c}",
        "to begin with {a}, later on {b}, and to finish {c}",
    ),
    test=(
        "{a}; next {b}; at last {c}", "{a}, followed by this: {b}, and to round it off {c}",
        "i have three jobs for you: {a}, {b}, and lastly {c}", "step one: {a}. step two: {b}. step three: {c}",
    ),
)
"""Three requests."""
ABOUT = Frames(
    train=(
        "i am done with {x}, {do}", "there is {x} around here, {do}", "look at {x}, {do}", "do you know {x}? {do}",
        "i have no use for {x} here, {do}", "i left {x} somewhere, {do}", "there is still {x}, {do}",
        "about {x}: {do}", "we have {x}, {do}", "do you see {x}? {do}", "i bought {x}, {do}",
        "this is about {x}, {do}", "take care of {x}, {do}", "remember {x}? {do}", "i can see {x}, {do}",
        "you see {x}? {do}", "somebody left {x} lying about, {do}", "that is {x} over there, {do}",
        "i finished with {x}, {do}", "as for {x}, {do}", "regarding {x}: {do}", "concerning {x}, {do}",
        "now for {x}: {do}", "speaking of {x}, {do}", "{x} over there, {do}", "{x} keeps getting in my way, {do}",
        "{x} is in the wrong place, {do}", "{x} is still out, {do}", "i spotted {x}, {do}", "we were given {x}, {do}",
        "have you noticed {x}? {do}", "you will come across {x} somewhere in here, {do}",
        "you know where {x} is, {do}", "{x} was forgotten by somebody, {do}", "my brother was using {x}, {do}",
        "i have been thinking about {x}, {do}", "how did {x} get here? {do}",
        "{x} has been lying around all day, {do}", "{x} comes next, {do}", "once you have found {x}, {do}",
        "what shall we do with {x}? i say {do}", "i want something done about {x}: {do}",
        "grandma left {x} behind, {do}", "it is {x} that i mean, {do}",
    ),
    dev=("here is {x}, {do}", "i noticed {x} a moment ago, {do}", "the kids played with {x}, {do}"),
    test=(
        "someone forgot {x}, {do}", "my sister lent me {x}, {do}", "i was using {x} this morning, {do}",
        "turn your attention to {x}, {do}",
    ),
)
"""A remark on {x}, and what to {do} with it."""
THEM = Frames(
    train=(
        "i am done with {x}, {do}", "{x} are lying about, {do}", "look at {x}, {do}", "there are {x}, {do}",
        "i left {x} somewhere, {do}", "we have {x}, {do}", "about {x}: {do}", "do you see {x}? {do}",
        "you see {x}? {do}", "here are {x}, {do}", "somebody forgot {x}, {do}", "as for {x}, {do}",
        "regarding {x}: {do}", "now for {x}: {do}", "speaking of {x}, {do}", "this concerns {x}: {do}",
        "{x} are in my way, {do}", "{x} are still out, {do}", "{x} have been lying around all day, {do}",
        "{x} were left behind, {do}", "{x} come next, {do}", "{x} belong together, {do}", "{x}, {do}",
        "i spotted {x}, {do}", "you know where {x} are, {do}", "have you noticed {x}? {do}", "i bought {x}, {do}",
        "i have finished with {x}, {do}", "what is to be done with {x}? i say {do}",
        "the kids were playing with {x}, {do}", "i mean {x}, {do}", "you should see {x} somewhere, {do}",
        "remember {x}? {do}", "i can see {x} from here, {do}", "nobody is using {x}, {do}",
        "once you have found {x}, {do}",
    ),
    dev=("those are {x}, {do}", "i came across {x}, {do}", "the guests had {x} out, {do}"),
    test=(
        "i no longer use {x}, {do}", "my brother unpacked {x}, {do}", "i was just using {x}, {do}",
        "my next wish concerns {x}, {do}",
    ),
)
"""The same for several things."""
CANNOT_STAND = Frames(
    train=(
        "i cannot stand {b}, {do}", "i dislike {b}, so {do}", "i do not like {b}, {do}", "{do}, just not {b}",
        "{do}, but please no {b}", "i am sick of {b}, {do}", "not {b} again, {do}",
        "{b} is the last thing i want, {do}", "spare me {b}, {do}", "leave {b} where it is, {do}",
        "do not bring {b}, {do}", "i do not want {b}, {do}", "stay off {b}, {do}", "skip {b}, {do}",
        "do not give me {b}, {do}", "never hand me {b}, {do}", "{do}, {b} is out of the question",
        "{do}, i have no appetite for {b}", "ignore {b} and {do}", "i would rather not have {b}, {do}",
        "avoid {b}, {do}", "{do}, {b} does not agree with me", "pass over {b}, {do}", "forget about {b}, {do}",
        "put no {b} before me, {do}", "i have had enough of {b}, {do}", "{do}, and do not dare to come with {b}",
        "i am allergic to {b}, {do}", "{b} is not for me, {do}", "no {b} for me, {do}", "{do}, but i hate {b}",
        "i loathe {b}, {do}", "{b} turns my stomach, {do}", "i am fed up with {b}, {do}", "i have gone off {b}, {do}",
        "{b} does nothing for me, {do}", "{b} makes me ill, {do}", "anything but {b}, {do}",
        "i can do without {b}, {do}", "{do}, though {b} will not do", "{do}, only do not let it be {b}",
        "{do}, {b} is not an option", "{do}, i have had it up to here with {b}",
        "if i see {b} one more time i will scream, {do}", "my doctor forbids me {b}, so {do}", "{b} is yucky, {do}",
        "{do}, and keep your hands off {b}", "{do}, i am not touching {b}",
        "ever since i was little i have detested {b}, {do}", "who could possibly want {b}, {do}",
        "{b} was never my thing, {do}", "with {b} ruled out, {do}", "we have had {b} all week, {do}",
        "{do}, but steer clear of {b}", "{do}, i would sooner go without than have {b}",
    ),
    dev=("keep {b} away from me, {do}", "{b} and i do not get along, {do}", "{do}, except that i refuse {b}"),
    test=(
        "{b} makes me sick, so {do}", "i turn my nose up at {b}, {do}", "count {b} out, {do}",
        "{do}, though you would annoy me with {b}",
    ),
)
"""{b} is not wanted in the request {do}."""
EVERYTHING_AT = Frames(
    train=(
        "clear {l}, put it all on {m}", "move everything from {l} to {m}", "whatever is on {l} goes to {m}",
        "all things on {l} belong on {m}", "put everything that stands on {l} on {m}",
        "carry all the stuff from {l} to {m}", "bring the whole contents of {l} to {m}",
        "all that stands on {l} should be on {m}", "i want nothing left on {l}, put it on {m}",
        "take everything off {l} and set it on {m}", "i need {l} free, so bring everything to {m}",
        "clean out {l}, {m} can take it all", "take all that is on {l} to {m}", "bring everything on {l} over to {m}",
        "{l} must be emptied, {m} is where it all goes", "relocate the lot from {l} to {m}",
        "everything that {l} carries is to be taken to {m}", "strip {l} bare and load it all onto {m}",
        "what is lying on {l} now should be lying on {m} later", "transfer all items from {l} to {m}",
        "i have to wipe {l}, so shift the lot to {m}", "no object may remain on {l}, {m} has room for them all",
        "{m} gets everything that {l} has on it", "haul all of it off {l} and onto {m}",
        "not one thing should stay on {l}, set them all on {m}", "one by one, take each thing on {l} across to {m}",
        "anything you find on {l} has to be put on {m}", "why is {l} so full, put the lot on {m}",
        "the next thing to do is to get all the objects from {l} onto {m}",
    ),
    dev=(
        "{l} must be empty, use {m} instead", "unload {l} completely, {m} is where it all goes",
        "i am about to scrub {l}, so all its things must wait on {m}",
    ),
    test=(
        "empty {l} onto {m}", "evacuate {l}, the things there have to get to {m}",
        "for each thing you see on {l}, find a spot on {m}",
        "do not stop until {l} is bare and {m} holds all that was there",
    ),
)
"""All things at {l} to {m}."""
IMPOSSIBLE = Frames(
    train=(
        "swim across the river", "build a house", "write a poem", "bake a cake", "cook dinner", "mow the grass",
        "clean the bathroom", "feed the fish", "dance with me", "take a photo of {x}", "fold {x}", "slice {x}",
        "fill {x} with water", "empty {x} into the sink", "shake {x}", "stir {x}", "crush {x}", "kick {x}",
        "burn {x}", "freeze {x}", "charge {x}", "polish {x}", "rotate {x}", "taste {x}", "sell {x}",
        "buy another one of {x}", "hide {x} under the carpet", "take {x} to the attic", "bring {x} to the neighbours",
        "put {x} in the dishwasher", "put {x} in the microwave", "put {x} on the roof", "put {x} in my pocket",
        "load {x} into the car", "take {x} to the bathroom", "throw {x} out of the window", "mail {x} to my aunt",
        "open the fridge", "close the curtains", "open the garage", "balance {x} on {y}", "wrap {x} in {y}",
        "sew {x} and {y} together", "rub {x} against {y}", "build a tower from {x} and {y}", "wedge {x} under {y}",
        "hit {x} with {y}", "compare {x} with {y}", "play catch with {x}", "do magic with {x} and {y}",
        "attach {x} to {y}", "hide {x} behind {y}", "roll {x} across the floor", "bounce {x}", "draw {x}",
        "describe {x} to my friend", "translate what is written on {x}", "repair {x}", "mend {x}", "sterilise {x}",
        "toast {x}", "grill {x}", "squeeze {x}", "unwrap {x}", "open {x}", "shut {x}", "lick {x}", "smell {x}",
        "bury {x} in the garden", "plant {x}", "bring {x} to the office", "take {x} to school",
        "put {x} in the attic", "put {x} in the bathtub", "put {x} in the freezer", "leave {x} in the corridor",
        "put {x} under the bed", "set {x} on the windowsill", "put {x} on the shelf", "carry {x} upstairs",
        "bring {x} to my grandmother", "give {x} to the cat", "post {x}", "wave {x} about", "spin {x}", "fry {x}",
        "dry {x}", "warm {x}", "cool {x} down", "whip {x}", "open the oven", "open the cupboard", "open the gate",
        "close the fridge", "close the cupboard", "close the blinds", "turn on the heater", "switch on the fan",
        "turn off the tap", "start the dishwasher", "make coffee", "make my bed", "wash the car", "paint the fence",
        "cut my hair", "brush your teeth", "go to sleep", "go to the bedroom", "drive to the shop", "go outside",
        "run upstairs", "go to the garden", "whistle", "laugh", "recite a prayer", "count to ten", "what time is it",
        "how is the weather", "who are you", "do my homework", "check my mail", "download a film", "take a nap",
        "fix the roof", "catch a mouse", "shovel snow", "rake the leaves", "lay the carpet", "hang up the washing",
        "wash the windows", "dust the shelves", "cook soup", "carve a statue", "dig a hole", "print a letter",
        "open the left drawer", "close the oven door", "turn on the television", "switch off the lamp",
        "set the alarm", "turn up the heating", "answer the phone", "send a message to my boss", "book a flight",
        "what is the capital of france", "do a handstand", "jump up and down", "clap your hands", "smile",
        "scratch my back", "massage my feet", "babysit the twins", "paint a picture of {x}", "glue {x} to {y}",
        "tie {x} to {y}", "stack {x} on {y}", "cover {x} with {y}", "mix {x} with {y}", "hammer on {x}",
        "sharpen {x}", "weigh {x}", "measure {x}", "sweep the stairs", "change the bulb", "plant a tree",
        "chase the cat out", "fly to the moon", "paint the wall", "call my mother", "fry an egg", "open the window",
        "switch on the light", "sing a song", "cut {x} in half", "eat {x}", "wash {x}", "cook {x}", "break {x}",
        "peel {x}", "pour water over {x}", "throw {x} at the wall", "climb on the roof", "play chess with me",
        "drive me to work", "iron my shirt", "water the lawn", "read me a story", "tell me a joke", "order a pizza",
        "walk the dog", "put {x} in the oven", "put {x} in the fridge", "heat {x} up", "bring {x} to the bedroom",
        "take {x} to the garage", "hang {x} on the ceiling", "repair the sink", "vacuum the floor",
        "open the top window", "close the front door", "lock the door", "turn off the radio", "knit a cover for {x}",
        "tear {x} apart", "unscrew {x}", "take {x} to pieces", "rinse {x}", "scrub {x}", "soak {x} in hot water",
        "boil {x}", "roast {x}", "grate {x}", "chop {x} up", "mash {x}", "blend {x} with {y}",
        "sprinkle {x} over {y}", "swap the lids of {x} and {y}", "tape {x} to {y}", "nail {x} to the wall",
        "scratch my name into {x}", "smash {x} with {y}", "flatten {x}", "bend {x}", "inflate {x}", "set fire to {x}",
        "blow on {x}", "drink up {x}", "bite into {x}", "chew {x}", "feed {x} to the dog",
        "auction {x} off on the internet", "how much does {x} cost", "who invented {x}", "is {x} past its date",
        "read out the label of {x}", "scan the barcode of {x}", "make up a rhyme about {x}", "have a chat with {x}",
        "dye {x} blue", "tie a ribbon round {x}", "carry {x} down to the cellar", "lay {x} on the sofa",
        "hang {x} on the coat rack", "i want {x} in the washing machine", "drive {x} to the recycling centre",
        "balance {x} on your head", "turn {x} upside down", "lean {x} against {y}",
        "jam {x} between {y} and the wall", "stab {x} with {y}", "plug {x} in", "refill {x}", "dunk {x} in {y}",
        "i would like {x} cut into cubes", "could {x} be warmed over a flame", "{x} has a hole in it, stitch it up",
        "why not send {x} to my cousin in a parcel", "make {x} float in the air", "unblock the sink",
        "descale the kettle", "mop the floor", "defrost the freezer", "change the nappy of the baby",
        "put the children to bed", "trim the hedge", "weed the flower beds", "milk the cow", "chop firewood",
        "light the fireplace", "sweep the chimney", "fix my bike", "pump up the tyres", "park the car",
        "take the bus into town", "go down to the cellar", "step out on the balcony", "wait in the bathroom",
        "crawl under the sofa", "climb up the ladder", "ring the doorbell", "let the guests in", "lower the shutters",
        "dim the lights", "turn the music down", "change the channel", "play the piano", "do a cartwheel",
        "stand on one leg", "do up my zip", "comb my hair", "take my temperature", "pull out my sore tooth",
        "give me a hug", "explain how planes fly", "what is seven times eight", "who won the match yesterday",
        "what day is it today", "remind me of the meeting at noon", "wake me at six tomorrow",
        "translate this into spanish", "look up the train times", "pay my bills", "teach me to swim",
        "make it stop raining", "knead the dough", "make pancakes for everybody", "lay an egg", "put up the tent",
        "assemble the wardrobe", "open the skylight", "shut the bedroom door", "unlock the shed",
        "open the fourth drawer", "close the door of the washing machine", "i am bored, put on a film",
        "it is too cold in here, turn up the radiator", "somebody is at the door, see who it is",
    ),
    dev=(
        "paint {x} red", "melt {x}", "juggle with {x} and {y}", "unclog the drain", "order me a taxi",
        "explain how rainbows come about", "shave my beard", "pull up the shutters", "ride a horse",
        "grind {x} into powder", "return {x} to the supermarket", "engrave my name on {x}", "pierce {x} with {y}",
    ),
    test=(
        "knit a pullover", "take {x} to the basement", "unscrew the lamp", "boil some water", "tie my shoelaces",
        "take the children to the zoo", "stop the washing machine", "open the safe behind the painting",
        "ring the church bells", "tune the piano", "check my blood pressure", "work out how old the universe is",
        "bend {x} out of shape", "drill a hole into {x}", "flush {x} down the toilet", "put {x} out on the balcony",
        "pin {x} to the curtain", "swap the labels of {x} and {y}", "catapult {x} at {y}",
    ),
)
"""What no skill does."""
SURFACES = {
    "close counter": Frames(
        train=(
            "the close counter", "the close counter", "the counter right beside you", "the counter within reach",
            "the counter a step away", "the counter at your side", "the counter in front of you", "the first counter",
            "the counter here", "the adjacent counter", "the counter on this side", "the counter that is closest",
            "the near counter", "the counter close by", "the counter right here", "the counter next to you",
            "the nearest counter", "the counter beside you", "the nearby counter", "the nearer counter",
            "the counter you can touch from where you are", "the counter a short way off", "the counter just here",
            "the counter not far from you", "the counter at a short distance",
            "the counter with the shortest way to it", "the counter a stone's throw away",
            "the top of the close counter", "the worktop close to you", "the close worktop", "the near work surface",
            "the surface of the nearby counter", "the counter that you reach first", "the close kitchen counter",
        ),
        dev=("the counter near you",),
        test=("the closer counter",),
    ),
    "far counter": Frames(
        train=(
            "the far counter", "the far counter", "the counter across the room", "the counter on the other side",
            "the counter in the distance", "the counter furthest away", "the counter at the far end",
            "the other counter", "the furthest counter", "the counter a long way off", "the counter on the far side",
            "the counter opposite", "the remote counter", "the counter over there", "the counter at the back",
            "the counter that is far off", "the faraway counter", "the distant counter", "the more distant counter",
            "the counter way over there", "the counter way back there", "the counter at the other end of the kitchen",
            "the counter with the longest way to it", "the counter out of reach", "the counter miles away",
            "the counter at a great distance",
            "the top of the far counter", "the worktop far from you", "the far worktop", "the remote work surface",
            "the surface of the distant counter", "the counter that you reach last", "the far kitchen counter",
        ),
        dev=("the counter far away",),
        test=("the farther counter",),
    ),
    "table": Frames(
        train=(
            "the table", "the table", "the kitchen table", "the dinner table", "the table in the kitchen",
            "the table where we eat", "the big table", "the table", "the breakfast table", "the supper table",
            "the table with the chairs around it", "the table for meals", "the family table",
            "the table we all sit around", "the table here in the kitchen", "the only table there is",
            "the table where meals are served",
            "the surface of the table", "the wooden table", "the table over there", "the table with the four legs",
            "the dinner table of ours", "our table", "the plain top of our table", "the coffee table",
        ),
        dev=("the table top",),
        test=("the dining table",),
    ),
    "trash can": Frames(
        train=(
            "the trash can", "the trash can", "the garbage bin", "the wastebasket", "the rubbish", "the garbage",
            "the trash bin", "the litter bin", "the rubbish can", "the rubbish bin", "the waste bin", "the dustbin",
            "the trash", "the trash bucket", "the waste can", "the garbage pail", "the refuse bin",
            "the rubbish bucket", "the trash container", "the can for the trash", "the bin for the waste",
            "the garbage bucket", "the bin for rubbish", "the litter basket", "the waste basket", "the trash basket",
        ),
        dev=("the bin",),
        test=("the garbage can",),
    ),
    "user": Frames(
        train=(
            "the user", "the user", "my seat", "my place", "where i sit", "my side", "the human", "me", "my chair",
            "my spot", "where i am sitting", "your human", "the person speaking to you",
            "the one who is talking to you", "my armchair", "my position",
        ),
        dev=("where i am",),
        test=("the person",),
    ),
}
"""Names of places and people, by place."""
DRAWERS = {
    "top drawer": Frames(
        train=(
            "the top drawer", "the top drawer", "the drawer right at the top", "the top one of the drawers",
            "drawer number one", "the drawer number one", "the drawer furthest up", "the drawer above the others",
            "the drawer over the middle one", "drawer one", "the topmost drawer", "the drawer at the top",
            "the first drawer", "the drawer on top", "the upper drawer", "the drawer above the middle one",
            "the drawer above all the rest", "the drawer with no other above it", "the first drawer from the top",
            "the first drawer down", "the drawer higher than the other two", "drawer 1",
            "the drawer at the very top", "the drawer closest to the ceiling", "the top-level drawer",
        ),
        dev=("the highest drawer",),
        test=("the uppermost drawer",),
    ),
    "middle drawer": Frames(
        train=(
            "the middle drawer", "the middle drawer", "the middle one of the drawers", "drawer number two",
            "the drawer halfway up", "the drawer between top and bottom", "the drawer below the top one",
            "the drawer above the bottom one", "drawer two", "the drawer under the first one", "the mid drawer",
            "the drawer between the others", "the drawer number two", "the centre drawer", "the drawer in the middle",
            "the in-between drawer", "the drawer with one above and one below",
            "the drawer neither at the top nor at the bottom", "the drawer sandwiched between the other two",
            "drawer 2",
            "the drawer at mid height", "the drawer second from the top", "the mid-level drawer",
        ),
        dev=("the second drawer",),
        test=("the central drawer",),
    ),
    "bottom drawer": Frames(
        train=(
            "the bottom drawer", "the bottom drawer", "the drawer right at the bottom",
            "the bottom one of the drawers", "drawer number three", "the drawer number three",
            "the drawer nearest the floor", "the drawer below the others", "the drawer under the middle one",
            "drawer three", "the bottommost drawer", "the drawer at the bottom", "the third drawer",
            "the last drawer", "the drawer down low", "the lower drawer", "the lowermost drawer",
            "the drawer below the middle one", "the drawer beneath all the rest", "the drawer with no other below it",
            "the third drawer down", "the drawer just above the floor", "the drawer lower than the other two",
            "drawer 3",
            "the drawer at the very bottom", "the drawer closest to the ground", "the bottom-level drawer",
        ),
        dev=("the lowest drawer",),
        test=("the undermost drawer",),
    ),
}
"""Names of drawers."""
# fmt: on
