"""Context overflows are told from all other errors, by the providers' own words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import anthropic
import httpx2
import openai
import pytest
from anthropic.types import Message as AnthropicMessage
from openai.types.responses import ResponseErrorEvent

from context_kit import WindowExceededError
from context_kit.wire import Overflow, overflow, overflow_in

REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1")


def of_openai(status: int, body: object) -> openai.APIStatusError:
    """The error that the OpenAI SDK makes of a response."""
    client = openai.OpenAI(api_key="none", base_url="http://127.0.0.1")
    return client._make_status_error_from_response(httpx2.Response(status, request=REQUEST, text=_text(body)))


def of_anthropic(status: int, kind: str, message: str) -> anthropic.APIStatusError:
    """The error that the Anthropic SDK makes of a response."""
    client = anthropic.Anthropic(api_key="none", base_url="http://127.0.0.1")
    body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
    return client._make_status_error_from_response(httpx2.Response(status, request=REQUEST, text=_text(body)))


def _text(body: object) -> str:
    return body if isinstance(body, str) else json.dumps(body)


def chat(message: str, *, status: int = 400, kind: str = "invalid_request_error", **more: Any) -> openai.APIStatusError:
    """An error in OpenAI's form, as most servers send it."""
    return of_openai(status, {"error": {"message": message, "type": kind, "param": "messages", **more}})


class ClientError(Exception):
    """As botocore raises it."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"An error occurred ({code}) when calling the Converse operation: {message}")
        self.response = {
            "Error": {"Code": code, "Message": message},
            "ResponseMetadata": {"HTTPStatusCode": status, "RetryAttempts": 0},
        }


class GenaiError(Exception):
    """As google-genai raises it."""

    def __init__(self, code: int, status: str, message: str) -> None:
        super().__init__(f"{code} {status}. {message}")
        self.code = code
        self.status = status
        self.message = message
        self.details = {"error": {"code": code, "message": message, "status": status}}


class ContextWindowExceededError(Exception):
    """As LiteLLM raises it."""

    status_code = 400


def raised_from(error: Exception, cause: Exception) -> Exception:
    """An agent's own error with the provider's behind it."""
    error.__cause__ = cause
    return error


UPSTREAM = json.dumps({"type": "error", "error": {"message": "prompt is too long: 214306 tokens > 200000 maximum"}})


def plain(status: int, body: object) -> httpx2.HTTPStatusError:
    """What `raise_for_status()` of a bare HTTP client raises: the body stands in its response alone."""
    response = httpx2.Response(status, request=REQUEST, text=_text(body))
    return httpx2.HTTPStatusError(f"Client error '{status}'", request=REQUEST, response=response)


OVERFLOWS: dict[str, tuple[Exception, Overflow]] = {
    "OpenAI": (
        chat(
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 131072 tokens. "
            "Please reduce the length of the messages.",
            code="context_length_exceeded",
        ),
        Overflow(limit=128000, prompt=131072),
    ),
    "OpenAI, with the completion": (
        chat(
            "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (5000 in the "
            "messages, 4000 in the completion). Please reduce the length of the messages or completion.",
            code="context_length_exceeded",
        ),
        Overflow(limit=8192, total=9000, reply=4000),
    ),
    "OpenAI, Responses": (
        chat(
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            code="context_length_exceeded",
        ),
        Overflow(),
    ),
    "OpenAI, by its code alone": (chat("Bad request.", code="context_length_exceeded"), Overflow()),
    "OpenAI, raised in a stream": (
        openai.APIError(
            "Your input exceeds the context window of this model.", REQUEST, body={"code": "context_length_exceeded"}
        ),
        Overflow(),
    ),
    "Azure": (
        chat(
            "This model's maximum context length is 16385 tokens. However, your messages resulted in 21014 tokens "
            "(20514 in the messages, 500 in the functions). Please reduce the length of the messages or functions.",
            code="context_length_exceeded",
        ),
        Overflow(limit=16385, prompt=21014),
    ),
    "Anthropic": (
        of_anthropic(400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"),
        Overflow(limit=200000, prompt=213462),
    ),
    "Anthropic, older": (
        of_anthropic(
            400,
            "invalid_request_error",
            "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or "
            "`max_tokens` and try again",
        ),
        Overflow(limit=200000, prompt=188240, reply=21333),
    ),
    "Anthropic, in a stream": (
        of_anthropic(200, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"),
        Overflow(limit=200000, prompt=213462),
    ),
    "Bedrock": (ClientError(400, "ValidationException", "Input is too long for requested model."), Overflow()),
    "Bedrock, Claude": (
        ClientError(
            400,
            "ValidationException",
            "The model returned the following errors: prompt is too long: 200212 tokens > 200000 maximum",
        ),
        Overflow(limit=200000, prompt=200212),
    ),
    "Bedrock, Nova": (
        ClientError(
            400,
            "ValidationException",
            "Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.",
        ),
        Overflow(),
    ),
    "Bedrock, OpenAI-like": (
        chat(
            "This model's maximum context length is 131072 tokens. However, you requested 4096 output tokens and your "
            "prompt contains at least 126977 input tokens, for a total of at least 131073 tokens."
        ),
        Overflow(limit=131072, prompt=126977, reply=4096),
    ),
    "Gemini": (
        GenaiError(
            400,
            "INVALID_ARGUMENT",
            "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
        ),
        Overflow(limit=1048576, prompt=1200293),
    ),
    "Gemini, without the count": (
        GenaiError(
            400, "INVALID_ARGUMENT", "The input token count exceeds the maximum number of tokens allowed (1048576)."
        ),
        Overflow(limit=1048576),
    ),
    "Vertex": (
        GenaiError(
            400,
            "INVALID_ARGUMENT",
            "Unable to submit request because the input token count is 33046 but model only supports up to 32768. "
            "Reduce the input token count and try again.",
        ),
        Overflow(limit=32768, prompt=33046),
    ),
    "OpenRouter": (
        chat(
            "This endpoint's maximum context length is 131072 tokens. However, you requested about 158536 tokens "
            "(150344 of text input, 8192 in the output). Please reduce the length of either one, or use the "
            '"middle-out" transform to compress your prompt automatically.',
            code=400,
        ),
        Overflow(limit=131072, total=158536, reply=8192),
    ),
    "OpenRouter, the upstream's": (
        of_openai(
            502,
            {"error": {"message": "Provider returned error", "code": 502, "metadata": {"raw": UPSTREAM}}},
        ),
        Overflow(limit=200000, prompt=214306),
    ),
    "vLLM": (
        of_openai(
            400,
            {
                "object": "error",
                "message": "This model's maximum context length is 4096 tokens. However, you requested 4612 tokens "
                "(4100 in the messages, 512 in the completion). Please reduce the length of the messages or completion.",
                "type": "BadRequestError",
                "param": None,
                "code": 400,
            },
        ),
        Overflow(limit=4096, total=4612, reply=512),
    ),
    "vLLM, max_tokens": (
        chat(
            "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 32768 "
            "tokens and your request has 30000 input tokens (8192 > 32768 - 30000)."
        ),
        Overflow(limit=32768, prompt=30000, reply=8192),
    ),
    "vLLM, newer": (
        chat(
            "You passed 4097 input tokens and requested 512 output tokens. However, the model's context length is only "
            "4096 tokens, resulting in a maximum input length of 3584 tokens. Please reduce the length of the input "
            "prompt."
        ),
        Overflow(limit=4096, prompt=4097, reply=512),
    ),
    "vLLM, less than nothing": (chat("max_tokens must be at least 1, got -186."), Overflow()),
    "SGLang": (
        chat("The input (33000 tokens) is longer than the model's context length (32768 tokens)."),
        Overflow(limit=32768, prompt=33000),
    ),
    "TGI": (
        of_openai(
            422,
            {
                "error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 8000 `inputs` "
                "tokens and 500 `max_new_tokens`",
                "error_type": "validation",
            },
        ),
        Overflow(limit=8192, prompt=8000, reply=500),
    ),
    "llama.cpp": (
        of_openai(
            400,
            {
                "error": {
                    "code": 400,
                    "message": "request (11041 tokens) exceeds the available context size (8192 tokens), try increasing it",
                    "type": "exceed_context_size_error",
                    "n_prompt_tokens": 11041,
                    "n_ctx": 8192,
                }
            },
        ),
        Overflow(limit=8192, prompt=11041),
    ),
    "llama.cpp, older": (
        chat("the request exceeds the available context size. try increasing the context size", status=500),
        Overflow(),
    ),
    "Ollama, not truncating": (chat("the input length exceeds the context length"), Overflow()),
    "LM Studio": (
        chat(
            "Trying to keep the first 13227 tokens when context the overflows. However, the model is loaded with context "
            "length of only 4096 tokens, which is not enough."
        ),
        Overflow(limit=4096),
    ),
    "LM Studio, newer": (
        chat("The number of tokens to keep from the initial prompt is greater than the context length."),
        Overflow(),
    ),
    "Groq": (
        chat("Please reduce the length of the messages or completion.", code="context_length_exceeded"),
        Overflow(),
    ),
    "Cerebras": (
        chat(
            "Please reduce the length of the messages or completion. Current length is 8532 while limit is 8192",
            code="context_length_exceeded",
        ),
        Overflow(limit=8192, prompt=8532),
    ),
    "Mistral": (
        chat(
            "Prompt contains 40102 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
            code="3051",
        ),
        Overflow(limit=32768, prompt=40102),
    ),
    "DeepSeek": (
        chat(
            "This model's maximum context length is 65536 tokens. However, you requested 71022 tokens (67022 in the "
            "messages, 4000 in the completion). Please reduce the length of the messages or completion.",
            code="invalid_request_error",
        ),
        Overflow(limit=65536, total=71022, reply=4000),
    ),
    "xAI": (
        of_openai(
            400,
            {
                "code": "Client specified an invalid argument",
                "error": "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
            },
        ),
        Overflow(limit=131072, prompt=537812),
    ),
    "GitHub Copilot": (
        chat("prompt token count of 136000 exceeds the limit of 128000", code="model_max_prompt_tokens_exceeded"),
        Overflow(limit=128000, prompt=136000),
    ),
    "Kimi": (
        chat("Invalid request: Your request exceeded model token limit: 131072 (requested: 140022)"),
        Overflow(limit=131072, total=140022),
    ),
    "MiniMax": (chat("invalid params, context window exceeds limit (2013)"), Overflow()),
    "Fireworks": (
        chat("The prompt is too long: 142049, model maximum context length: 131071"),
        Overflow(limit=131071, prompt=142049),
    ),
    "Qwen": (
        chat("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]"),
        Overflow(limit=129024),
    ),
    "z.ai": (chat("Prompt exceeds max length", code="1261"), Overflow()),
    "LiteLLM": (ContextWindowExceededError("litellm.BadRequestError: too much"), Overflow()),
    "LiteLLM, its proxy": (
        chat("litellm.ContextWindowExceededError: litellm.BadRequestError: the request is refused", code="400"),
        Overflow(),
    ),
    "a plain exception": (
        RuntimeError("prompt is too long: 213,462 tokens > 200,000 maximum"),
        Overflow(limit=200000, prompt=213462),
    ),
    "a bare HTTP client": (
        plain(400, {"error": {"message": "prompt is too long: 213462 tokens > 200000 maximum"}}),
        Overflow(limit=200000, prompt=213462),
    ),
    "Gemini, by its OpenAI-like API": (
        of_openai(
            400,
            [
                {
                    "error": {
                        "code": 400,
                        "message": "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
                        "status": "INVALID_ARGUMENT",
                    }
                }
            ],
        ),
        Overflow(limit=1048576, prompt=1200293),
    ),
    "an agent's own, with its cause": (
        raised_from(RuntimeError("the model failed"), chat("Your input exceeds the context window of this model.")),
        Overflow(),
    ),
}


@pytest.mark.parametrize(("error", "told"), OVERFLOWS.values(), ids=OVERFLOWS)
def test_an_overflow_is_recognised_with_what_it_tells(error: Exception, told: Overflow) -> None:
    """By status, code and text, with the numbers where the text has them."""
    assert overflow(error) == told


OTHERS: dict[str, Exception] = {
    "OpenAI, tokens per minute": chat(
        "Request too large for gpt-5.4 in organization org-1 on tokens per min (TPM): Limit 30000, Requested 47012. The "
        "input or output tokens must be reduced in order to run successfully.",
        status=429,
        kind="tokens",
        code="rate_limit_exceeded",
    ),
    "OpenAI, requests per minute": chat("Rate limit reached for gpt-5.4", status=429, code="rate_limit_exceeded"),
    "Groq, tokens per minute": chat(
        "Request too large for model `llama-3.3-70b` on tokens per minute (TPM): Limit 12000, Requested 19823, please "
        "reduce your message size and try again.",
        status=413,
        kind="tokens",
        code="rate_limit_exceeded",
    ),
    "a limit of rate that speaks of the window": chat(
        "This model's maximum context length is 128000 tokens, and 30000 tokens per minute were used", status=400
    ),
    "a code of rate beside a text of the window": chat("prompt is too long", code="rate_limit_exceeded"),
    "Anthropic, input tokens per minute": of_anthropic(
        429,
        "rate_limit_error",
        "This request would exceed your organization's rate limit of 50,000 input tokens per minute.",
    ),
    "Anthropic, long context needs another plan": of_anthropic(
        429, "rate_limit_error", "Extra usage is required for long context requests."
    ),
    "Anthropic, bytes": of_anthropic(413, "request_too_large", "Request exceeds the maximum size"),
    "Anthropic, overloaded": of_anthropic(529, "overloaded_error", "Overloaded"),
    "Anthropic, max_tokens above the output limit": of_anthropic(
        400,
        "invalid_request_error",
        "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5",
    ),
    "Anthropic, image bytes": of_anthropic(
        400,
        "invalid_request_error",
        "messages.3.content.0.image.source.base64: image exceeds 5 MB maximum: 6203012 bytes > 5242880 bytes",
    ),
    "Anthropic, pdf pages": of_anthropic(400, "invalid_request_error", "A maximum of 100 PDF pages may be provided."),
    "Anthropic, cache marks": of_anthropic(
        400, "invalid_request_error", "A maximum of 4 blocks with cache_control may be provided. Found 5."
    ),
    "Anthropic, credit": of_anthropic(
        400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."
    ),
    "nginx, bytes": of_openai(413, "<html><head><title>413 Request Entity Too Large</title></head></html>"),
    "a body of no words": of_openai(413, ""),
    "FastAPI, bytes": of_openai(413, {"detail": "payload too large"}),
    "Bedrock, throttled": ClientError(429, "ThrottlingException", "Too many tokens, please wait before trying again."),
    "Bedrock, tokens a day": ClientError(
        400, "ThrottlingException", "Too many tokens per day, please wait before trying again."
    ),
    "Bedrock, bytes": ClientError(
        400,
        "ValidationException",
        "The model returned the following errors: too many total text bytes: 26000000 > 25000000",
    ),
    "Bedrock, max_tokens above the output limit": ClientError(
        400,
        "ValidationException",
        "The maximum tokens you requested exceeds the model limit of 2048. Try again with a maximum tokens value that is "
        "lower than 2048.",
    ),
    "Bedrock, a text that is too long": ClientError(
        400, "ValidationException", "Malformed input request: #/texts/41: expected maxLength: 2048, actual: 2102"
    ),
    "Gemini, quota": GenaiError(
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota. Quota exceeded for metric: generate_content_free_tier_input_token_count",
    ),
    "Gemini, output": GenaiError(
        400,
        "INVALID_ARGUMENT",
        "Unable to submit request because it has a maxOutputTokens value of 99999 but the supported range is from 1 to "
        "65537.",
    ),
    "OpenAI, max_tokens above the output limit": chat(
        "max_tokens is too large: 200000. This model supports at most 16384 completion tokens, whereas you provided "
        "200000.",
        code="invalid_value",
    ),
    "vLLM, a reply longer than the window": chat(
        "'max_tokens' or 'max_completion_tokens' is too large: 50000. This model's maximum context length is 32768 tokens "
        "and your request has 1000 input tokens (50000 > 32768 - 1000)."
    ),
    "vLLM, no reply wanted": chat("max_tokens must be at least 1, got 0."),
    "vLLM, a habit of other servers": chat("max_tokens must be at least 1, got -1."),
    "OpenAI, too many tools": chat(
        "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 139 "
        "instead.",
        code="array_above_max_length",
    ),
    "OpenAI, a string that is too long": chat(
        "Invalid 'messages[1].content': string too long. Expected a string with maximum length 10485760, but got a string "
        "with length 11000000 instead.",
        code="string_above_max_length",
    ),
    "OpenAI, quota": chat("You exceeded your current quota.", status=429, code="insufficient_quota"),
    "OpenAI, invalid json": chat("We could not parse the JSON body of your request."),
    "OpenAI, unpaired calls": chat(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
    ),
    "OpenAI, no such model": chat("The model `gpt-9` does not exist", status=404, code="model_not_found"),
    "OpenAI, key": chat("Incorrect API key provided", status=401, code="invalid_api_key"),
    "a key with words of the window": chat("context_length_exceeded", status=401),
    "llama.cpp, batch": chat(
        "input is too large to process. increase the physical batch size (current batch size: 512)", status=500
    ),
    "OpenRouter, credits": chat(
        "This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford "
        "1200.",
        status=402,
    ),
    "a request that is echoed": of_openai(
        422,
        {
            "detail": [
                {"loc": ["body"], "msg": "field required", "input": {"content": "prompt is too long: 2 tokens > 1"}}
            ]
        },
    ),
    "LM Studio, not loaded": chat("No models loaded. Please load a model in the developer page.", status=404),
    "a bare HTTP client, throttled": plain(429, {"error": {"message": "prompt is too long"}}),
    "a bare HTTP client, bytes": plain(413, "Payload Too Large"),
    "connection": openai.APIConnectionError(request=REQUEST),
    "time": openai.APITimeoutError(REQUEST),
    "a server that fails": chat("The server had an error while processing your request", status=500),
    "a value": ValueError("field too long"),
    "another session's own": WindowExceededError("prompt is too long", window=1, system=1, tools=0, largest=0),
}


@pytest.mark.parametrize("error", OTHERS.values(), ids=OTHERS)
def test_nothing_else_is_taken_for_an_overflow(error: Exception) -> None:
    """Throttling, sizes in bytes, limits of the reply, of tools, of images, and all the rest."""
    assert overflow(error) is None


def test_an_error_of_any_size_is_read_in_bounded_work() -> None:
    """Deep, wide and endless bodies are cut off, not walked."""
    deep: Any = {"message": "x"}
    for _ in range(2_000):
        deep = {"error": deep}
    wide = {"error": [{"message": "input " * 100_000}] * 10_000}
    for body in (deep, wide):
        error = RuntimeError("refused")
        error.body = body  # type: ignore[attr-defined]
        assert overflow(error) is None


def test_an_error_that_can_not_be_read_is_none() -> None:
    """Attributes that raise are as good as absent."""

    class Odd(Exception):
        @property
        def response(self) -> object:
            raise RuntimeError

        def __str__(self) -> str:
            raise RuntimeError

    assert overflow(Odd()) is None


# -- replies that look like success --------------------------------------------------------


def completion(reason: str, **usage: int) -> Mapping[str, Any]:
    return {
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": "I"}}],
        "usage": {"prompt_tokens": 90, "completion_tokens": 8, **usage},
    }


def claude(reason: str) -> AnthropicMessage:
    return AnthropicMessage.model_validate(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-x",
            "content": [{"type": "text", "text": "I"}],
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": {"input_tokens": 40, "cache_read_input_tokens": 150, "output_tokens": 10},
        }
    )


FAILED = {"code": "context_length_exceeded", "message": "Your input exceeds the context window of this model."}
LOOK_ALIKES: dict[str, tuple[object, Overflow | None]] = {
    "Anthropic, the window ended": (claude("model_context_window_exceeded"), Overflow(limit=200, prompt=190)),
    "Anthropic, a turn ended": (claude("end_turn"), None),
    "Anthropic, the reply's limit": (claude("max_tokens"), None),
    "Mistral, the window ended": (completion("model_length"), Overflow(limit=98, prompt=90)),
    "a whole reply": (completion("stop"), None),
    "a reply at its limit": (completion("length"), None),
    "a prompt cut to the brim": (completion("length", prompt_tokens=1_000, completion_tokens=0), Overflow()),
    "no output, with room": (completion("length", prompt_tokens=500, completion_tokens=0), None),
    "a Responses stream's error event": (
        ResponseErrorEvent(type="error", sequence_number=1, param="input", **FAILED),
        Overflow(),
    ),
    "another error event": (
        ResponseErrorEvent(type="error", sequence_number=1, param=None, code="server_error", message="It failed."),
        None,
    ),
    "an error event of rate": (
        {"type": "error", "code": "rate_limit_exceeded", "message": "context_length_exceeded"},
        None,
    ),
    "response.failed": ({"type": "response.failed", "response": {"status": "failed", "error": FAILED}}, Overflow()),
    "a failed response": ({"object": "response", "status": "failed", "error": FAILED, "output": []}, Overflow()),
    "an Anthropic error event": (
        {
            "type": "error",
            "error": {"type": "invalid_request_error", "message": "prompt is too long: 9 tokens > 8 maximum"},
        },
        Overflow(limit=8, prompt=9),
    ),
    "a gateway's error with status 200": (
        {"error": {"code": 400, "message": "This endpoint's maximum context length is 4096 tokens."}},
        Overflow(limit=4096),
    ),
    "an error in a choice": (
        {"choices": [{"finish_reason": "error", "error": {"code": 502, "message": "prompt is too long"}}]},
        Overflow(),
    ),
    "a text that speaks of it": (
        {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "prompt is too long"}}]},
        None,
    ),
    "nothing": (None, None),
    "a text": ("prompt is too long", None),
}


@pytest.mark.parametrize(("reply", "told"), LOOK_ALIKES.values(), ids=LOOK_ALIKES)
def test_an_overflow_that_looks_like_success_is_recognised(reply: object, told: Overflow | None) -> None:
    """By the reason why it ended, or by the error in the answer's place; never by what the model wrote."""
    assert overflow_in(reply, window=1_000) == told


def test_usage_below_what_was_sent_tells_nothing_of_the_window() -> None:
    """Gateways that leave the cached part out would make it tiny."""
    assert overflow_in(claude("model_context_window_exceeded"), window=1_000, least=191) == Overflow()
