"""English."""

from __future__ import annotations

from rightcall.wings.generate.phrases import Phrases

PHRASES = Phrases(
    asks=(
        "Please {what}, with {details}.", "Can you {what}? Use {details}.", "I'd like to {what}. Use {details}.",
        "Help me {what}: {details}.", "{What}: {details}.", "Could you {what} for me? Use {details}.",
        "I need to {what}; use {details}.",
    ),
    bare=("Please {what}.", "Can you {what}?", "I'd like to {what}.", "{What}.", "Could you {what}?"),
    detail="{name} {value}",
    between=", ",
    last=" and ",
    also=("Also, {next}", "And another thing: {next}", "Besides that: {next}"),
    again=("Then do the same with {details}.", "And once more with {details}.", "Do it a second time, with {details}."),
    then=("Then {next}", "Once you have it, {next}"),
    withheld=(
        "I still have to look up the {name}: ask me for it before you do anything.",
        "Don't start yet, I have not decided on the {name}; ask me for it first.",
        "Wait with it: I will send you the {name} in my next message.",
    ),
    result="the {name} from that result",
    yes="set to true",
    no="set to false",
    quotes=("“", "”"),
    openers=("", "Hi! ", "Hello there. ", "Hey, ", "Okay. ", "Hm, ", "Alright, ", "Quick one: ", "Just so you know: ", "By the way, "),
    idle=(
        "thanks, that was all for today.", "never mind, I have found it myself.", "you have been a great help, goodbye!",
        "no need to do anything, I only wanted to say hello.", "please do nothing until I come back.",
        "I changed my mind, leave everything as it is.", "please forget what I was about to ask.",
        "good morning, how are you doing?", "give me a minute, I am on the phone.", "I will get back to you after lunch.",
        "sorry, that message was meant for somebody else.", "that joke of yours made me laugh.", "are you a person or a program?",
        "say something encouraging to me.", "I am only thinking aloud, ignore me.", "thank you, you can stop here.",
    ),
    names={"q": "query", "ts": "timestamp", "thread ts": "thread timestamp", "num results": "number of results"},
)  # fmt: skip
