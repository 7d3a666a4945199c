# Every field with the kind of its value, in the order of the document; quotas differ.
def kind: if type == "object" then with_entries(.value |= kind) elif type == "array" then (map(kind) | unique) else type end;
.machine.quota_cores = null | .sizes[0].sets |= .[2:] | kind
