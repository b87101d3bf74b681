"""A bank: accounts with balances, and transfers that must not happen twice."""

from __future__ import annotations

from typing import Any

from rightcall.tools.definitions.behaviour import CallInfo
from rightcall.tools.definitions.function import tool
from rightcall.tools.runtime.errors import ToolError
from rightcall.tools.worlds.base import World


def _transfer_made(bank: Bank, key: str, arguments: dict[str, Any]) -> Any:
    return next(
        (_public_transfer(transfer) for transfer in bank.data["transfers"] if transfer["key"] == key), None
    )


def _public_transfer(transfer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in transfer.items() if name != "key"}


class Bank(World):
    """State: `accounts` (id → owner, balance in cents) and `transfers`, oldest first."""

    name = "bank"

    @classmethod
    def initial(cls) -> dict[str, Any]:
        return {"accounts": {}, "transfers": []}

    @tool(read_only=True, resource_key="account")
    def get_balance(self, account: str) -> dict[str, Any]:
        """Owner and balance of one account, in cents.

        Args:
            account: The account's id, such as "a1".
        """
        holder = self._account(account)
        return {"account": account, "owner": holder["owner"], "balance": holder["balance"]}

    @tool(read_only=True)
    def list_transfers(self, account: str) -> dict[str, Any]:
        """Transfers from or to one account, oldest first. Use it to see whether a transfer went through.

        Args:
            account: The account's id.
        """
        transfers = [
            _public_transfer(t) for t in self.data["transfers"] if account in (t["source"], t["target"])
        ]
        return {"transfers": transfers}

    @tool(destructive=True, idempotency="key", probe=_transfer_made, check_with="list_transfers")
    def transfer(self, source: str, target: str, cents: int, info: CallInfo) -> dict[str, Any]:
        """Move money from one account to another. It cannot be taken back.

        Args:
            source: The account the money comes from.
            target: The account the money goes to.
            cents: The amount in cents, at least 1.
        """
        if cents < 1:
            raise ToolError("precondition_failed", "the amount must be at least 1 cent", retry="fix_args")
        giving = self._account(source)
        taking = self._account(target)
        if giving["balance"] < cents:
            raise ToolError(
                "precondition_failed",
                f"account {source} has {giving['balance']} cents, less than {cents}",
                "tell the user that the balance does not suffice",
            )
        giving["balance"] -= cents
        taking["balance"] += cents
        entry = {
            "id": self.next_id("t", self.data["transfers"]),
            "source": source,
            "target": target,
            "cents": cents,
            "key": info.key,
        }
        self.data["transfers"].append(entry)
        return _public_transfer(entry)

    def _account(self, account: str) -> Any:
        names = ", ".join(sorted(self.data["accounts"])[:10])
        return self.look_up("accounts", account, "account", f"use one of: {names}")
