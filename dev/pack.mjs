// Sets up, builds and packs the plugin. Argument: the folder for the tarball (default: the project). Last line of output: the tarball's path.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import './setup.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const folder = resolve(process.argv[2] ?? root)

// Packing runs the build by the manifest's prepack script.
const pnpm = join(root, 'node_modules/pnpm/bin/pnpm.cjs')
const run = spawnSync(process.execPath, [pnpm, 'pack', '--pack-destination', folder], { cwd: root, stdio: 'inherit' })
if (run.status !== 0) process.exit(run.status ?? 1)
console.log(join(folder, `${name}-${version}.tgz`))
