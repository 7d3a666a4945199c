/tmp/b/cli/yoke info --devices cpu,cuda:0,cuda:1 --measure --json
