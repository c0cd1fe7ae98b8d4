"""Language models: local and served; option scoring."""
