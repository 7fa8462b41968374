import { createHmac, timingSafeEqual } from 'node:crypto';
import { appendFileSync, existsSync, fsyncSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';

// One secret; while it is rotated the old and the new one, with a space between them.
const SECRETS = (process.env.SERVICE_WEBHOOK_SECRET ?? '').split(' ').filter((it) => it !== '');
if (SECRETS.length === 0 || !SECRETS.every((it) => it.startsWith('svc_whsec_'))) {
  console.error('Set SERVICE_WEBHOOK_SECRET to the whole signing secret.');
  process.exit(1);
}
const STORE = 'messages.ndjson';
const MAX_BODY = 256 * 1024; // bytes; ours have far fewer
const ATTEMPTS = 5; // of a message whose work fails: again after 1, 2, 4 and 8 seconds, then it is set aside
const EVENTS = new Set(['listing.published', 'listing.updated', 'tip.paid', 'ranking.moved', 'ping']);

async function handle(message) {
  console.log('handled', message.id, message.event);
}

// Every id, with the body of those that are not handled yet. A line cut off by a crash was never acknowledged.
const messages = new Map();
for (const line of existsSync(STORE) ? readFileSync(STORE, 'utf8').split('\n') : []) {
  try {
    const { id, body } = JSON.parse(line);
    messages.set(id, body);
  } catch {}
}
const store = openSync(STORE, 'a');

function save(line) {
  appendFileSync(store, '\n' + JSON.stringify(line)); // the whole line, or an error
  fsyncSync(store);
  messages.set(line.id, line.body);
}

function isSigned(headers, body) {
  const timestamp = headers['x-service-timestamp'] ?? '';
  if (!/^\d{1,15}$/.test(timestamp) || Math.abs(Date.now() / 1000 - timestamp) > 300) return false;
  const names = ['x-service-signature', 'x-service-signature-next'];
  const signatures = names.map((it) => headers[it] ?? '').filter((it) => /^[0-9a-f]{64}$/.test(it));
  return SECRETS.some((secret) => {
    const expected = createHmac('sha256', secret).update(timestamp + '.').update(body).digest();
    return signatures.some((it) => timingSafeEqual(Buffer.from(it, 'hex'), expected));
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function receive(headers, body) {
  if (!['', 'identity'].includes((headers['content-encoding'] ?? '').toLowerCase())) return 415; // a body is read as it is
  if (!isSigned(headers, body)) return 401;
  let message;
  try {
    message = JSON.parse(utf8.decode(body));
  } catch {
    return 400;
  }
  if (!EVENTS.has(message?.event) || typeof message.id !== 'string' || messages.has(message.id)) return 200;
  save({ id: message.id, body: body.toString() }); // stored before the response
  setImmediate(enqueue, message.id, body.toString(), 1);
  return 200;
}

let queue = Promise.resolve();
function enqueue(id, body, attempt) {
  queue = queue.then(() => work(id, body, attempt));
}

async function work(id, body, attempt) {
  try {
    await handle(JSON.parse(body));
  } catch (error) {
    console.error(`${id} failed and is ${attempt === ATTEMPTS ? 'set aside' : 'tried again'}:`, error);
    if (attempt < ATTEMPTS) {
      setTimeout(enqueue, 1000 * 2 ** (attempt - 1), id, body, attempt + 1);
      return;
    }
  }
  save({ id });
}

createServer((request, response) => {
  const chunks = [];
  let length = 0;
  request.on('data', (chunk) => {
    length += chunk.length;
    if (length <= MAX_BODY) chunks.push(chunk);
    else request.destroy();
  });
  request.on('end', () => {
    response.setHeader('accept-encoding', 'identity');
    response.statusCode = receive(request.headers, Buffer.concat(chunks));
    response.end();
  });
}).listen(process.env.PORT, '127.0.0.1');
for (const [id, body] of messages) {
  if (body !== undefined) enqueue(id, body, 1);
}
