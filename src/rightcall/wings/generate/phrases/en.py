"""English."""

from __future__ import annotations

from rightcall.wings.generate.phrases import Phrases

PHRASES = Phrases(
    asks=(
        "Please {what}: {details}.", "Can you {what}? {Details}.", "I'd like to {what}. {Details}.",
        "Help me {what} with {details}.", "{What}, {details}.", "Could you {what} for me? {Details}, please.",
        "I need to {what}; {details}.", "Hey, {what}. Use {details}.",
    ),
    bare=("Please {what}.", "Can you {what}?", "I'd like to {what}.", "{What}.", "Could you {what} for me?"),
    detail="{name} {value}",
    between=", ",
    also=("Also, {next}", "And another thing: {next}", "Besides that: {next}"),
    then=("Then {next}", "Once you have it, {next}"),
    result="the {name} from that result",
    yes="yes",
    no="no",
    quotes=("“", "”"),
    openers=("", "Hi! ", "Hello there. ", "Hey, ", "Okay. ", "Hm, ", "Alright, ", "Quick one: ", "Just so you know: ", "By the way, "),
    idle=(
        "thanks, that was all for today.", "never mind, I have found it myself.", "you have been a great help, goodbye!",
        "no need to do anything, I only wanted to say hello.", "please do nothing until I come back.",
        "I changed my mind, leave everything as it is.", "what did you mean by your last sentence?",
        "good morning, how are you doing?", "repeat the word lighthouse, please.", "spell the word rhythm for me.",
        "which is the opposite of generous?", "that joke of yours made me laugh.", "are you a person or a program?",
        "say something encouraging to me.", "I am only thinking aloud, ignore me.", "what rhymes with orange?",
    ),
)  # fmt: skip
