/tmp/b/cli/yoke info --devices cpu,cuda --json
