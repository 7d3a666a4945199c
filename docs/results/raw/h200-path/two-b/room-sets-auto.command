/tmp/b/cli/yoke run path --matrix --sizes 4,16,64 --picture 2048x2048 --devices cpu,cuda:0,cuda:1 --kernel auto --repeat 3 --json -
