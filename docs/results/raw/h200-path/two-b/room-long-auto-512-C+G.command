/tmp/b/cli/yoke run path --size 512 --devices cpu,cuda:0 --kernel auto --json - --picture 2048x2048 --repeat 3
