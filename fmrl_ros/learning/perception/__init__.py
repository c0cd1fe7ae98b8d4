"""How the localiser and the success detector are made: rendered scenes, training, judging, reports."""
