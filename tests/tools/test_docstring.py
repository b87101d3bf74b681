from __future__ import annotations

import pytest

from rightcall.tools.definitions.signature import parse_docstring

GOOGLE = """Weather for a city.

    Use get_forecast for
    future days.

    Args:
        city (str): The city's name,
            in English.
        units: Celsius or Fahrenheit: the default is Celsius.

    Returns:
        dict: the weather.

    Raises:
        ValueError: if there is no such city.
    """
NUMPY = """Weather for a city.

    Use get_forecast for
    future days.

    Parameters
    ----------
    city : str
        The city's name,
        in English.
    units : {"c", "f"}, optional
        Celsius or Fahrenheit: the default is Celsius.

    Returns
    -------
    dict
        the weather.
    """
SPHINX = """Weather for a city.

    Use get_forecast for
    future days.

    :param city: The city's name,
        in English.
    :type city: str
    :param str units: Celsius or Fahrenheit: the default is Celsius.
    :returns: the weather
    :raises ValueError: if there is no such city
    """
EPYTEXT = (
    SPHINX.replace(":param str units:", ":param units:").replace(":param", "@param").replace(":type", "@type")
)


@pytest.mark.parametrize(
    "text", [GOOGLE, NUMPY, SPHINX, EPYTEXT], ids=["google", "numpy", "sphinx", "epytext"]
)
def test_every_common_style_gives_the_description_and_the_parameters(text):
    description, parameters = parse_docstring(text)
    assert description == "Weather for a city.\n\nUse get_forecast for future days."
    assert parameters == {
        "city": "The city's name, in English.",
        "units": "Celsius or Fahrenheit: the default is Celsius.",
    }


@pytest.mark.parametrize("text", [None, "", "   \n  "])
def test_a_function_without_a_docstring_has_no_description(text):
    assert parse_docstring(text) == ("", {})


def test_lists_and_later_paragraphs_are_kept():
    text = "Send a mail.\n\nUse it for:\n- receipts\n- alarms\n\nNote: it cannot be called back."
    assert parse_docstring(text)[0] == text


def test_text_after_a_google_section_belongs_to_the_description():
    description, parameters = parse_docstring("A.\n\nArgs:\n    x: one\n\nMore words.")
    assert description == "A.\n\nMore words." and parameters == {"x": "one"}


def test_numpy_parameters_may_share_a_text():
    assert parse_docstring("A.\n\nParameters\n----------\nx, y : int\n    Both.")[1] == {
        "x": "Both.",
        "y": "Both.",
    }
