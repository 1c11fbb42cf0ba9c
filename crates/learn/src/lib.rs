//! Labels blocks from gold text, trains and scores block models.
