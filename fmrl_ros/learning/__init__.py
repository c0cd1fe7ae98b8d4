"""Everything that makes models: data, training, evaluation and reports. Nothing that runs on a robot imports it."""
