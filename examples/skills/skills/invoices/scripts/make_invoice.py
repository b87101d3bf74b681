"""Print an invoice: make_invoice.py CUSTOMER ITEM:PRICE..."""

import sys

customer, *items = sys.argv[1:]
prices = [float(item.rpartition(":")[2]) for item in items]
print(f"Invoice for {customer}: {len(items)} items, total {sum(prices):.2f}")
