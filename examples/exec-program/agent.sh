#!/bin/sh
# An agent that is a program: one JSON line on stdin, one JSON reply on stdout. Any language will do.
# This one decides by words where a real one would ask a model.
read -r ask
text=$(printf '%s' "$ask" | sed 's/.*"input":"\([^"]*\)".*/\1/')
orders=$(printf '%s' "$text" | grep -oE '[0-9]{4}')

call() { printf '{"name":"%s","arguments":%s,"status":"ok","output":"%s"}' "$1" "$2" "$3"; }

calls="" answer=""
case "$text" in
  *[0-9][0-9][0-9][0-9]*) ;;
  *parcel*) answer="Which order do you mean?" ;;
  *) answer="You are welcome." ;;
esac
for order in $orders; do
  case "$text" in
    *[Tt]rack* | *Where*) tool=track_parcel ;;
    *) tool=find_order ;;
  esac
  case "$order" in
    1007 | 2044 | 3100) found="order $order is known" ;;
    *) found="order $order not found" ;;
  esac
  calls="$calls${calls:+,}$(call "$tool" "{\"order_id\":$order}" "$found")"
  answer="$answer$found. "
  case "$text" in *[Rr]efund*)
    case "$text" in *broken*) reason=damaged ;; *late*) reason=late ;; *) reason=other ;; esac
    if [ "$order" != 9999 ]; then
      calls="$calls,$(call refund_order "{\"order_id\":$order,\"reason\":\"$reason\"}" "paid back")"
    fi ;;
  esac
done
printf '{"calls":[%s],"output":"%s"}\n' "$calls" "$answer"
