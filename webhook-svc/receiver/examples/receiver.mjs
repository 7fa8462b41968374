// A receiver of Mchezo's webhooks, with Node's standard library only: node receiver.mjs PORT STORE COMMAND
//
// SERVICE_WEBHOOK_SECRET holds the signing secret. COMMAND is the work: a shell runs it for each message, whose id is $WEBHOOK_ID.
// STORE is a file to which a line is added for each message that came, and for each whose work is done.

import { spawn } from 'node:child_process';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';

const SECRET = process.env.SERVICE_WEBHOOK_SECRET;
const [PORT, STORE, COMMAND] = process.argv.slice(2);
const EVENTS = new Set(['listing.published', 'listing.updated', 'tip.paid', 'ranking.moved', 'ping']);

// Ids that are known, with the bodies of those whose work is not done.
const messages = new Map();
for (const line of existsSync(STORE) ? readFileSync(STORE, 'utf8').split('\n') : []) {
  try {
    const { id, body } = JSON.parse(line);
    messages.set(id, body);
  } catch {} // The end of the file, or a line that a crash cut off before its message was answered.
}
const store = openSync(STORE, 'a');

// What is on disk survives a restart. A line feed comes first, in case the line before was cut off.
function save(line) {
  writeSync(store, '\n' + JSON.stringify(line));
  fsyncSync(store);
  messages.set(line.id, line.body);
}

function isSigned(headers, body) {
  const timestamp = headers['x-service-timestamp'] ?? '';
  if (!/^\d{1,15}$/.test(timestamp) || Math.abs(Date.now() / 1000 - timestamp) > 300) return false;
  const expected = createHmac('sha256', SECRET).update(timestamp + '.').update(body).digest();
  const signature = Buffer.from(headers['x-service-signature'] ?? '', 'hex');
  return signature.length === expected.length && timingSafeEqual(signature, expected);
}

// The status of the answer.
function receive(headers, body) {
  if (!isSigned(headers, body)) return 401;
  let message;
  try {
    message = JSON.parse(body);
  } catch {
    return 400;
  }
  if (!EVENTS.has(message?.event) || messages.has(message.id)) return 200;
  save({ id: message.id, body: body.toString() });
  setImmediate(work);
  return 200;
}

let working = false;
async function work() {
  if (working) return;
  working = true;
  for (const [id, body] of messages) {
    if (body === undefined) continue;
    const shell = spawn('sh', ['-c', COMMAND], {
      env: { ...process.env, WEBHOOK_ID: id },
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    shell.stdin.on('error', () => {}).end(body); // A command need not read it.
    await new Promise((done) => shell.on('close', done));
    save({ id });
  }
  working = false;
}

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    response.statusCode = receive(request.headers, Buffer.concat(chunks));
    response.end();
  });
}).listen(PORT, '127.0.0.1');
work();
