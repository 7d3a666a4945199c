/tmp/b/cli/yoke info --devices cpu,cuda:0,cuda:1,cuda:2,cuda:3 --measure --json
