"""Compiled loops of joint parsing."""
