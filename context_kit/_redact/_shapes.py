"""Shapes of providers' keys, as data.

Sources (facts, read 2026-11-30): the vendors' own documentation of their prefixes, and the rule list of gitleaks
(config/gitleaks.toml, July 2026), whose lengths are kept or loosened.
"""

from __future__ import annotations

__all__ = ["SHAPES"]

SHAPES: tuple[tuple[str, str, str], ...] = (
    ("anthropic-key", "sk-ant-", r"sk-ant-[\w-]{16,}"),
    ("openai-key", "sk-", r"sk-(?:[A-Za-z0-9]{0,15}[_-]){0,8}[A-Za-z0-9]{16}[\w-]*"),  # and many alike
    ("github-token", "(?:gh[pousr]|github_pat)_", r"(?:gh[a-z]|github_pat)_\w{20,}"),
    ("gitlab-token", "gl[a-z]{2,5}-", r"gl(?:pat|dt|rt|cbt|ft|oas|ptt|agent|imt|soat|ffct)-[\w.-]{16,}"),
    ("slack-token", "(?:xox[abeoprs][-.]|xapp-)", r"x[a-z]{3}(?:\.xox[bp])?-[A-Za-z0-9-]{10,}"),
    ("google-key", "(?:AIza|GOCSPX-)", r"(?:AIza[\w-]{30,}|GOCSPX-[\w-]{20,})"),
    ("aws-key-id", "A(?:KIA|SIA|BIA|CCA)", r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("aws-key", "ABSK", r"ABSK[A-Za-z0-9+/]{80,}={0,2}"),
    ("stripe-key", "(?:[sr]k_(?:test|live|prod)|whsec)_", r"[a-z]{2,5}_(?:[a-z]{4}_)?[A-Za-z0-9+/=]{10,}"),
    ("npm-token", "npm_", r"npm_[A-Za-z0-9]{30,}"),
    ("pypi-token", "pypi-", r"pypi-[\w-]{40,}"),
    ("huggingface-token", "hf_", r"hf_[A-Za-z0-9]{30,}"),
    ("jwt", "eyJ", r"eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*"),
    # xAI, Groq, Perplexity, NVIDIA, Tavily, Replicate, Linear, Notion; then DigitalOcean, Docker, Grafana,
    # PlanetScale, RubyGems, Sentry
    ("api-key", "(?:xai-|gsk_|pplx-|nvapi-|tvly-|r8_|lin_api_|ntn_)", r"[a-z0-9_]+[-_][\w-]{20,}"),
    ("api-token", "(?:do[opr]_v1_|dckr_pat_|gl(?:c|sa)_|pscale_|rubygems_|sntry[su]_)", r"[a-z0-9_]+_[\w+/=.-]{24,}"),
    ("shopify-token", "shp(?:at|ca|pa|ss)_", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("postman-key", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{30,}"),
    ("databricks-token", "dapi", r"dapi[a-f0-9]{32}(?![A-Za-z0-9])"),
    ("atlassian-token", "ATATT3", r"ATATT3[\w=-]{60,}"),
    ("twilio-key", "SK[0-9a-f]", r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("age-key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    ("1password-token", "ops_eyJ", r"ops_eyJ[A-Za-z0-9+/]{50,}={0,3}"),
    ("sendgrid-key", r"(?<=SG\.)\w", r"[\w-]{16,}\.[\w-]{16,}"),
    ("vault-token", r"(?<=hv[sb]\.)\w", r"[\w-]{24,}"),
    ("google-token", r"(?<=ya29\.)\w", r"[\w-]{20,}"),
    ("telegram-token", r"(?<=\d:)AA", r"AA[\w-]{33}"),
)
"""Keys that show by themselves what they are: kind, how one begins, all of it."""
