"""Thumbnails of images with what is known of them."""
