"""Tiny vision models with random weights, made on the spot in the formats of the real ones."""

import tempfile
from functools import cache
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

WORDS = 'a robot picked up the red green blue yellow block bowl and placed it in on yes Yes no No { } : , " pictures'


def tokenizer(*special: str):
    """A byte-level tokenizer with some special tokens."""
    from transformers import PreTrainedTokenizerFast

    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer, raw.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<pad>", "<eos>", *special],
    )
    raw.train_from_iterator([WORDS] * 4, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=raw, pad_token="<pad>", eos_token="<eos>")


@cache
def smolvlm() -> Path:
    """A folder with a SmolVLM (its architecture is Idefics3) of 32 x 32 pixels."""
    from transformers import Idefics3Config, Idefics3ForConditionalGeneration, Idefics3Processor
    from transformers.models.idefics3.image_processing_pil_idefics3 import Idefics3ImageProcessorPil

    folder = Path(tempfile.mkdtemp(prefix="tiny-smolvlm-"))
    marks = ("<image>", "<fake_token_around_image>", "<global-img>", "<end_of_utterance>")
    words = tokenizer(*marks)
    words.chat_template = (
        "{% for m in messages %}{{ m.role }}:{% for c in m.content %}{% if c.type == 'image' %}<image>"
        "{% else %}{{ c.text }}{% endif %}{% endfor %}<end_of_utterance>\n{% endfor %}assistant:"
    )
    for name, mark in zip(
        ("image_token", "fake_image_token", "global_image_token", "end_of_utterance_token"), marks, strict=True
    ):
        setattr(words, name, mark)
    config = Idefics3Config(
        vision_config={"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2,
                       "image_size": 32, "patch_size": 8},
        text_config={"model_type": "llama", "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1,
                     "num_attention_heads": 2, "num_key_value_heads": 2, "vocab_size": len(words), "pad_token_id": 0},
        scale_factor=2, image_token_id=words.convert_tokens_to_ids("<image>"), pad_token_id=0,
    )  # fmt: skip
    torch.manual_seed(0)
    Idefics3ForConditionalGeneration(config).save_pretrained(folder)
    images = Idefics3ImageProcessorPil(
        size={"longest_edge": 32}, max_image_size={"longest_edge": 32}, do_image_splitting=False
    )
    Idefics3Processor(images, words, image_seq_len=4).save_pretrained(folder)
    return folder


@cache
def owlv2() -> Path:
    """A folder with an OWLv2 of 48 x 48 pixels."""
    from transformers import Owlv2Config, Owlv2ForObjectDetection, Owlv2Processor
    from transformers.models.owlv2.image_processing_pil_owlv2 import Owlv2ImageProcessorPil

    folder = Path(tempfile.mkdtemp(prefix="tiny-owlv2-"))
    words = tokenizer()
    config = Owlv2Config(
        text_config={"vocab_size": len(words), "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1,
                     "num_attention_heads": 2, "max_position_embeddings": 16, "eos_token_id": 1, "pad_token_id": 0},
        vision_config={"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2,
                       "image_size": 48, "patch_size": 16},
        projection_dim=32,
    )  # fmt: skip
    torch.manual_seed(0)
    Owlv2ForObjectDetection(config).save_pretrained(folder)
    words.model_max_length = 16
    Owlv2Processor(Owlv2ImageProcessorPil(size={"height": 48, "width": 48}), words).save_pretrained(folder)
    return folder
