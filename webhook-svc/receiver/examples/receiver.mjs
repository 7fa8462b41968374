import { createHmac, timingSafeEqual } from 'node:crypto';
import { existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';

const SECRET = process.env.SERVICE_WEBHOOK_SECRET;
const STORE = 'messages.ndjson';
const EVENTS = new Set(['listing.published', 'listing.updated', 'tip.paid', 'ranking.moved', 'ping']);

async function handle(message) {
  console.log('handled', message.id, message.event);
}

// Every id, with the body of those that are not handled yet. A line cut off by a crash was never answered.
const messages = new Map();
for (const line of existsSync(STORE) ? readFileSync(STORE, 'utf8').split('\n') : []) {
  try {
    const { id, body } = JSON.parse(line);
    messages.set(id, body);
  } catch {}
}
const store = openSync(STORE, 'a');

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

function receive(headers, body) {
  if (!isSigned(headers, body)) return 401;
  let message;
  try {
    message = JSON.parse(body);
  } catch {
    return 400;
  }
  if (!EVENTS.has(message?.event) || messages.has(message.id)) return 200;
  save({ id: message.id, body: body.toString() }); // stored before the answer
  setImmediate(work);
  return 200;
}

let isWorking = false;
async function work() {
  if (isWorking) return;
  isWorking = true;
  for (const [id, body] of messages) {
    if (body === undefined) continue;
    await handle(JSON.parse(body));
    save({ id });
  }
  isWorking = false;
}

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    response.statusCode = receive(request.headers, Buffer.concat(chunks));
    response.end();
  });
}).listen(process.env.PORT, '127.0.0.1');
work();
