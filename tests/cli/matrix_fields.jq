# Every field with the type of its value, in the order of the document. Quotas differ, and so does the set of known devices.
def kind: if type == "object" then with_entries(.value |= kind) elif type == "array" then (map(kind) | unique) else type end;
.machine.quota_cores = null | walk(if type == "object" and has("without_seconds") then map_values(0) else . end) | .sizes[0].sets |= .[2:] | kind
