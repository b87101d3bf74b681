"""Agents behind an address or a command.

kind             this kind of agent, ready to run
addressed_session  what is common to them: what is asked, and a conversation
http_agent       a service, with presets; exec_agent: a program
exchange, agent_reply   what is sent to such an agent, and how its reply is read; by the suite's paths, if it has some
"""
