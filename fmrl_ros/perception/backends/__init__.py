"""What looks at pictures: one file for each kind of model, behind one interface (`backend.Backend`)."""

GROUP = "perception_backends"
"""The entry-point group ``fmrl_ros.perception_backends``."""
EMBEDDED = "embedded"
"""The backend that ships with its weights."""
FORMS = "embedded, open_clip:ARCHITECTURE/CHECKPOINT, owlv2:MODEL, vlm:MODEL, openai:MODEL@URL"
"""How a backend is named."""
