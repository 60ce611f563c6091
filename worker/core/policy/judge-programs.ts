// Programs that run code, fetch packages, reach other machines or steer this one.

import { always, hasOption, hasText, judged, reads, toOperands } from './call.ts'
import type { Call, Judge, Judgement } from './call.ts'
import { destroys, plain, READS, risky, unseen } from './finding.ts'
import { readOptions, type Known } from './options.ts'
import { knownWord } from './shell-words.ts'

const names = (text: string): string[] => text.trim().split(/\s+/)

function interpreter({ args, stdin }: Call): Judgement {
  if (args.length === 1 && /^(?:-[vVh]|--version|--help)$/.test(args[0]!.text)) return judged(READS)
  const [file] = toOperands(args)
  const isInline = hasOption(args, 'cepEr', '--eval', '--print', '--execute')
  if (isInline || file === undefined || file.isOutput || stdin.kind !== 'terminal') {
    return judged(risky('runs code that is not read here'))
  }
  return judged(unseen('runs a program whose content is not seen here'))
}

/** `asks`: what looks only where nothing stands behind it; `npm version 2.0.0` sets one. */
type Packages = { looks: string; asks?: string; runs: string; publishes: string }

/** `npm test` runs what the project says; `npm install` fetches what others say. */
const PACKAGES: Readonly<Record<string, Packages>> = {
  npm: {
    looks: 'ls list ll la why explain root prefix bin help help-search',
    asks: 'version',
    runs: 'test t tst run run-script start stop restart',
    publishes: 'publish unpublish deprecate owner access token dist-tag team org',
  },
  yarn: {
    looks: 'list why bin help versions',
    runs: 'test run start build lint',
    publishes: 'publish owner tag team npm',
  },
  pnpm: {
    looks: 'ls list why bin root help',
    runs: 'test t run start build lint',
    publishes: 'publish unpublish',
  },
  bun: { looks: 'help', runs: 'test run build', publishes: 'publish' },
  deno: { looks: 'info help types doc', runs: 'test check fmt lint', publishes: 'publish deploy' },
  pip: { looks: 'list show freeze check help', runs: '', publishes: 'upload' },
  uv: { looks: 'help', asks: 'version', runs: 'tree', publishes: 'publish' },
  poetry: { looks: 'show about', asks: 'version env check', runs: 'run', publishes: 'publish' },
  cargo: {
    looks: 'version help locate-project',
    runs: 'test build check run clippy fmt bench doc tree metadata',
    publishes: 'publish yank owner',
  },
  go: { looks: 'version doc help', asks: 'env', runs: 'test build vet fmt list', publishes: '' },
  gem: { looks: 'list info help', asks: 'environment', runs: '', publishes: 'push yank owner' },
  bundle: { looks: 'list info', runs: 'exec show check', publishes: '' },
  mvn: { looks: '', runs: 'test compile package verify', publishes: 'deploy release:perform' },
  gradle: { looks: '', runs: 'test build check tasks projects', publishes: 'publish' },
}

/** Of subcommands that look; none of them writes or starts anything. */
const LOOKS: Known = {
  flags: 'galpv',
  long: `json long parseable global all prod production dev depth recursive outdated uptodate format local user
    not-required tree no-dev`,
}

/** The subcommand comes first: behind an option it could be that option's value. */
function packageManager({ name, args }: Call): Judgement {
  const key = name === 'pip3' ? 'pip' : name
  const known = Object.hasOwn(PACKAGES, key) ? PACKAGES[key] : undefined
  const [sub, ...rest] = args
  if (known === undefined) return judged(risky('installs or removes packages'))
  if (sub === undefined) return judged(risky('installs packages'))
  if (rest.length === 0 && /^(?:-[vVh]|--version|--help)$/.test(sub.text)) return judged(READS)
  if (!sub.isKnown) return judged(risky('runs a subcommand that is not known'))
  const has = (list: string, { text } = sub): boolean =>
    text !== '' && list.split(' ').includes(text)
  // Anywhere: a wrong yes to this cannot be taken back.
  if (toOperands(args).some((word) => has(known.publishes, word)) && !has(known.runs)) {
    return judged(destroys('publishes, or changes what is published'))
  }
  if (has(known.looks) && !readOptions(rest, LOOKS).isOdd) return judged(READS)
  if (has(known.asks ?? '') && rest.length === 0) return judged(READS)
  if (has(known.runs)) return judged(plain('runs a script of the project'))
  return judged(risky('installs, changes or runs packages'))
}

function remoteService({ args }: Call): Judgement {
  const isDestroying = args.some(({ text }) =>
    /^(?:delete|destroy|rm|rmi|rb|prune|purge|down|kill|drop|drain|remove|uninstall|terminate-.*|delete-.*)$/.test(
      text,
    ),
  )
  return judged(
    isDestroying ? destroys('removes something on another system') : risky('steers another system'),
  )
}

function database({ args }: Call): Judgement {
  const isDestroying = args.some(({ text }) =>
    /\b(?:drop|truncate|delete|alter|flushall|flushdb|remove)\b/i.test(text),
  )
  return judged(isDestroying ? destroys('removes data') : risky('runs statements on a database'))
}

function ssh({ args }: Call): Judgement {
  const [, ...words] = toOperands(args)
  const findings = [risky('runs a command on another machine')]
  if (words.length === 0) return { findings }
  const isKnown = words.every((word) => word.isKnown)
  const text = words.map((word) => word.text).join(' ')
  return { findings, scripts: [{ ...knownWord(text), isKnown }] }
}

function kill({ args }: Call): Judgement {
  if (hasText(args.slice(0, 1), '-l', '-L')) return judged(READS)
  const isEverything = args.length > 1 && args.slice(1).some(({ text }) => text === '-1')
  return judged(isEverything ? destroys('ends every process') : risky('ends processes'))
}

function crontab({ args }: Call): Judgement {
  if (hasOption(args, 'r')) return judged(destroys('removes every scheduled task'))
  return judged(args.length === 1 && hasText(args, '-l') ? READS : risky('schedules programs'))
}

const SERVICE_LOOKS = new Set(names('status list-units list-timers show is-active is-enabled cat'))
const SERVICE: Known = { flags: 'alq', valued: 'nptu', long: 'all full no-pager quiet user' }

function systemctl({ args }: Call): Judgement {
  if (hasText(args, 'poweroff', 'reboot', 'halt', 'kexec', 'emergency', 'rescue')) {
    return judged(destroys('stops the machine'))
  }
  const [sub, ...rest] = args
  const isLook = sub !== undefined && SERVICE_LOOKS.has(sub.text)
  return judged(isLook && !readOptions(rest, SERVICE).isOdd ? READS : risky('steers services'))
}

const listed = (list: string, judge: Judge): [string, Judge][] =>
  names(list).map((name) => [name, judge])

/** Nothing any of them is told can change a file: what they print is what they do. */
const READERS = `: [ arch basename bc break cal cat cksum clear cmp column comm continue cut df dirname dirs
  du echo egrep exit expand expr factor false fgrep fmt fold free getconf getopts grep groups head hexdump
  html-to-markdown id join jq let local locale logname look ls lsb_release lscpu md5sum more nl nproc numfmt
  od paste pathchk popd pr printenv printf ps pwd read readlink readonly realpath return rev seq set
  sha1sum sha224sum sha256sum sha384sum sha512sum shasum shift shopt sleep stat strings sum tac tail test
  times top tr true tsort tty type typeset ulimit umask unalias uname unexpand unset uptime users vdir wait wc
  whatis whereis which who whoami yes export declare alias cd pushd caller zgrep`

const DISKS = `fdisk sfdisk cfdisk parted wipefs shred srm wipe scrub mkswap blkdiscard hdparm cryptsetup
  lvremove vgremove pvremove mdadm zpool zfs badblocks`
const POWER = 'shutdown reboot halt poweroff telinit init'
const ACCOUNTS = 'userdel groupdel deluser delgroup dropdb dropuser'
const NETWORK = `curl wget nc ncat netcat telnet scp sftp ftp socat dig nslookup host ping ping6 traceroute http
  https httpie xh aria2c lynx w3m links smbclient rclone mail sendmail mutt whois rsh rlogin nmap openssl`
const SERVICES = `kubectl docker podman nerdctl terraform tofu aws gcloud gsutil az gh glab heroku vercel netlify
  fly flyctl wrangler helm pulumi ansible ansible-playbook s3cmd doctl linode-cli firebase supabase`
const INSTALLERS = `apt apt-get aptitude yum dnf brew pacman apk snap dpkg rpm zypper emerge nix nix-env port choco
  winget scoop composer conda mamba pipx cpan luarocks npx bunx uvx pnpx corepack gem-install easy_install`
const INTERPRETERS = `python python2 python3 pypy node nodejs perl ruby php lua luajit Rscript osascript tclsh
  expect js-exec guile ghci scala groovy julia swift irb ipython pwsh powershell`
const EDITORS = 'vi vim nvim view nano emacs pico ed ex joe micro'
const MACHINE = `mount umount swapoff swapon sysctl modprobe insmod rmmod iptables ip6tables nft ufw chattr setfacl
  usermod useradd adduser groupadd passwd visudo chsh service launchctl at batch pkill killall skill
  fc tmux screen xterm setcap ldconfig update-alternatives hash enable bind complete compgen mknod chpasswd`

export const PROGRAM_JUDGES: ReadonlyMap<string, Judge> = new Map([
  ...listed(READERS, reads),
  ...listed(DISKS, always(destroys('erases or changes a disk'))),
  ...listed(POWER, always(destroys('stops the machine'))),
  ...listed(ACCOUNTS, always(destroys('deletes an account or a database'))),
  ...listed(NETWORK, always(risky('reaches the network'))),
  ...listed(SERVICES, remoteService),
  ...listed(INSTALLERS, packageManager),
  ...listed(Object.keys(PACKAGES).join(' '), packageManager),
  ...listed('pip3', packageManager),
  ...listed(INTERPRETERS, interpreter),
  ...listed(EDITORS, always(risky('opens an editor that can start programs'))),
  ...listed(MACHINE, always(risky('changes how the machine or the shell works'))),
  ...listed('psql mysql mariadb sqlite3 redis-cli mongo mongosh duckdb sqlcmd', database),
  ...listed('ssh mosh', ssh),
  ...listed('twine', always(destroys('publishes, or changes what is published'))),
  ...listed('kill', kill),
  ...listed('crontab', crontab),
  ...listed('systemctl', systemctl),
])
