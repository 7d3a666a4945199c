/tmp/b/cli/yoke run path --size 512 --devices cuda:0,cuda:1 --kernel auto --json - --picture 2048x2048 --repeat 3
