// `npm start`: the real host with the plugin and a demo upstream, in a throw-away home. `npm start -- --once` drives one failing turn and reports.
import { DEMO_FAULTS, DEMO_GROUP, DEMO_SURVIVOR, playDemo, setUpGroup } from './demo.mts'
import { makeHome, makeTemplate } from './home.mts'
import { API, bootHost } from './host.mts'
import type { Host } from './host.mts'
import { startUpstream } from './upstream/index.ts'
import type { Upstream } from './upstream/index.ts'

const USAGE = `usage: npm start [-- [--once] [--port <number>]]
  --once  drive one failing turn to its end, print what happened, and stop
  --port  port of the web interface (default: a free one)`

interface Options {
  readonly once: boolean
  readonly port: number
}

/** Answers null for anything it does not know. */
function readOptions(args: readonly string[]): Options | null {
  let once = false
  let port = 0
  for (let i = 0; i < args.length; i += 1) {
    if (args[i] === '--once') once = true
    else if (args[i] === '--port' && /^\d{1,5}$/.test(args[i + 1] ?? '') && Number(args[i + 1]) < 65_536) {
      i += 1
      port = Number(args[i])
    } else return null
  }
  return { once, port }
}

/** Sends one message and prints every request it caused. True if the turn was answered by a model of the group. */
async function driveOnce(host: Host, upstream: Upstream): Promise<boolean> {
  const session = await host.createSession()
  const started = Date.now()
  const question = 'Which model is answering me?'
  console.log(`\nOne turn: "${question}"`)
  const turn = await host.turn(session, question, 60_000)
  for (const call of upstream.log.filter(({ purpose }) => purpose === 'chat'))
    console.log(`  +${String(call.at - started).padStart(5)} ms  ${`${call.provider}/${call.model}`.padEnd(14)} ${call.fault === 'ok' ? 'answers' : `fails: ${call.fault}`}`)
  console.log(`  routes in the session's log: ${turn.headers.join(' → ') || 'none'}`)
  console.log(`  end of the turn: ${turn.end}`)
  console.log(`  answer: ${turn.text || '(none)'}`)
  const decisions = await host.api(`/decisions?sessionId=${encodeURIComponent(session)}`)
  for (const line of explain(decisions.body)) console.log(`  decided: ${line}`)
  return turn.end === 'completed' && turn.text.includes(DEMO_SURVIVOR)
}

interface Decision { readonly from: Named | null; readonly to: Named | null; readonly why: string; readonly until: number | null }
interface Named { readonly provider: string; readonly model: string }

/** The moves of `GET /decisions` of a session as lines for people, oldest first. */
function explain(reply: unknown): string[] {
  const { decisions = [] } = reply as { readonly decisions?: readonly Decision[] }
  const name = (route: Named | null): string => (route ? `${route.provider}/${route.model}` : 'nothing')
  return decisions.map(({ from, to, why, until }) => `${name(from)} → ${name(to)} (${why}${until === null ? '' : `, earliest return ${new Date(until).toISOString()}`})`).toReversed()
}

function invite(host: Host, upstream: Upstream): void {
  const group = DEMO_GROUP.models.map(({ provider, model }) => `${provider}/${model}`).join(' → ')
  console.log(`
Model failover is running in the real host:

    ${host.url}

New sessions are bound to the group "${DEMO_GROUP.name}": ${group}
${DEMO_FAULTS.map(({ provider, model, why }) => `  ${provider}/${model}: ${why}`).join('\n')}

Try this:
  - write a message: the answer comes from ${DEMO_SURVIVOR}, and the conversation says why;
  - click the model below the message box to see groups, marks and reasons;
  - open Settings → Model failover for groups, health and the dashboard;
  - make another model fail (and one more, until none is left):
      curl -X POST ${upstream.url}/control -d '{"provider":"beta","model":"b-1","fault":"429-retry-after"}'
    (names of the faults: ${upstream.url}/control; what was called: ${upstream.url}/control/log)

Everything lives in ${host.home.path} and is deleted on Ctrl-C.`)
}

async function main(options: Options): Promise<number> {
  const upstream = await startUpstream()
  console.log('Building, packing and installing the plugin …')
  const template = await makeTemplate()
  const home = makeHome({ template, upstream })
  template.remove()
  console.log('Starting the host …')
  const host = await bootHost({ home, port: options.port })
  playDemo(upstream)
  const trouble = await setUpGroup(host)
  if (trouble !== null) console.warn(`warning: no demo group under ${API}: ${trouble}`)
  if (!options.once) {
    invite(host, upstream)
    const code = await host.exited
    console.error(`the host ended by itself with ${code}\n${host.stderr()}`)
    return 1
  }
  const saved = await driveOnce(host, upstream)
  const code = await host.stop()
  await upstream.close()
  home.remove()
  if (code !== 0) console.error(`the host ended with ${code}\n${host.stderr()}`)
  console.log(saved ? '\nThe turn was saved.' : '\nThe turn was lost.')
  return saved && code === 0 ? 0 : 1
}

const options = readOptions(process.argv.slice(2))
if (options === null) {
  console.error(USAGE)
  process.exitCode = 2
} else {
  try {
    process.exit(await main(options))
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  }
}
