import type { CommandReach } from "../../domain/GrantSubject.ts"
import { baseName, isPrefix } from "../CommandPrefixes.ts"
import { isShell } from "../NestedCommands.ts"

/**
 * How far a grant for the first words of a command may reach (contract 9, `grants`); undefined if none ever covers it, since it
 * changes what the commands behind it are.
 */
export const reachOf = (argv: ReadonlyArray<string>): CommandReach | undefined => {
  const [program = "", first = "", second = ""] = argv
  if (shellState.has(program)) return undefined
  const name = baseName(program)
  const exactly = { atLeast: argv.length, isExact: true }
  if (isInterpreter(name)) return isScript(first) ? { atLeast: 2, isExact: false } : exactly
  if (isPrefix(name) || isShell(name) || runners.has(name)) return exactly
  const subcommands = Object.hasOwn(tools, name) ? tools[name] : undefined
  if (subcommands !== undefined && !subcommands.has(first)) return exactly
  const takesName = subcommands?.get(first) === true
  if (takesName && !/^[\w@]/.test(second)) return exactly
  const least = takesName ? 3 : subcommands === undefined ? 1 : 2
  const atLeast = Math.max(least, behindCode(argv, subcommands !== undefined || testers.has(name)))
  const classLength = subcommands === undefined ? (testers.has(name) ? 1 : undefined) : least
  // A path may be a program that the agent has written.
  const isOffered = classLength !== undefined && atLeast <= classLength && program === name
  return { atLeast: Math.min(atLeast, argv.length), isExact: false, ...(isOffered ? { classLength } : {}) }
}

/** Commands of the shell that change its state: what the commands behind them do depends on it. */
const shellState = new Set(
  `. : alias bg break builtin cd chdir continue coproc declare dirs disown enable eval exec exit export fc fg function getopts
  hash history jobs let local logout mapfile popd pushd read readarray readonly return set shift shopt source suspend times
  trap typeset ulimit umask unalias unset wait`.split(/\s+/)
)

/** Programs that run a file of code; the words behind its name are the file's own. */
const isInterpreter = (name: string): boolean =>
  /^(node|nodejs|pypy|python|ruby|perl|php|lua|luajit|Rscript|tsx|ts-node)[\d.]*$/.test(name) ||
  /^(sh|bash|dash|zsh|ksh)$/.test(name)

const isScript = (word: string): boolean =>
  /^[\w@./][^:]*$/.test(word) && /[./]/.test(word) && !/^\/(dev|proc)\//.test(word)

/**
 * Programs that run, install, load or overwrite whatever their words say, or that send them to another machine: further words
 * could do anything.
 */
const runners = new Set(
  `npx pnpx bunx uvx pipx uv pip pip3 conda mamba poetry gem bundle composer brew apt apt-get aptitude dnf yum zypper pacman apk
  snap flatpak nix nix-shell nix-env make gmake cmake ninja meson just task rake gulp grunt ant bazel buck scons tox nox
  awk gawk mawk nawk sed gsed ed ex vi vim nvim view emacs nano less more man info pico
  ssh sshpass mosh scp sftp rsync ftp telnet nc ncat netcat socat curl wget aria2c http https
  docker docker-compose podman nerdctl kubectl helm oc vagrant ansible ansible-playbook terraform tofu packer aws gcloud az
  find fd fdfind parallel entr watchexec nodemon concurrently pm2 forever direnv asdf mise
  tar bsdtar gtar zip unzip 7z cpio ar dd install crontab at batch systemctl service launchctl loginctl
  gcc g++ cc c++ clang clang++ ld rustc openssl gpg ffmpeg
  psql mysql mariadb sqlite3 mongo mongosh redis-cli gdb lldb strace dtrace java jshell groovy scala kotlin
  deno ghci irb pry iex erl sbcl clisp guile racket julia octave R swipl ocaml tclsh wish expect osascript open
  xdg-open start cscript wscript mshta rundll32 regsvr32 msiexec certutil wsl hg svn bzr fossil jj p4 gh glab
  patch tee ln link mount umount chmod chown chgrp chattr setfacl rm rmdir unlink shred truncate mkfifo mknod sort rg ag ack
  kill killall pkill crash screenrc su sudoedit visudo passwd usermod xdotool doas run-parts start-stop-daemon`.split(
    /\s+/
  )
)

/** Programs whose first word says what they do. True: the word behind it names it, as in `npm run build`. */
const tools: { readonly [name: string]: ReadonlyMap<string, boolean> } = Object.fromEntries(
  `npm test ci start run: run-script:
pnpm test run:
yarn test run:
bun test run:
cargo test build check clippy fmt bench doc
go test build vet fmt
dotnet test build
mvn test compile verify
gradle test build check
gradlew test build check
swift test build
zig test build
mix test compile
git add commit status log diff show
ruff check format`
    .split("\n")
    .map((line) => {
      const [name = "", ...words] = line.split(" ")
      return [name, new Map(words.map((word) => [word.replace(":", ""), word.endsWith(":")]))]
    })
)

/** Programs that test or check a project, by the project's own rules. */
const testers = new Set("pytest jest vitest mocha rspec phpunit mypy pyright tsc eslint".split(" "))

/**
 * Options that name a program, code, a configuration or a file to write: what they say must be in the grant. `ext::` is a command
 * as the address of a repository.
 */
const long =
  /^--?(exec|toolexec|vettool|overlay|modfile|([\w-]+-)?(shell|command|cmd|program|pack|options|arg|hook|hooks|dir)|config[\w-]*|conf|eval|require|import|preload|loader|plugins?|plugins-[\w-]+|resolver|runner|reporters?|rulesdir|parser|format|formatter|init-script|settings|prefix|userconfig|globalconfig|cwd|manifest-path|template|extcmd|ext-diff|textconv|open-files-in-pager|output|outFile|outDir|no-index|rootdir|override-ini|globalSetup|setupFiles\w*|environment|transform|project|build|pager|editor|rsh|file|gpg-sign|edit)(?![a-z-])|::/i
/** The same of the programs above, whose short options are known: glued to their values too. */
const short = /^-[a-zA-Z]*[cCeroOfFpuIDZS]/

/** How many words there are up to the last one that names code, and its value. */
const behindCode = (argv: ReadonlyArray<string>, isKnown: boolean): number => {
  const last = argv.findLastIndex(
    (word, index) => index > 0 && (long.test(word) || (isKnown && short.test(word) && !word.startsWith("--")))
  )
  return last === -1 ? 0 : last + 2
}
