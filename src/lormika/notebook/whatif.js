// The view of the widget. It asks by setting the trait `question`, one at a time, and shows what comes as `answer` and
// `board`. Whatever comes from data is set as text; the board is HTML of lormika's own renderer, which escapes all data.

const PAUSE = 250; // ms without a change, after which the rules are asked for, too
const PATIENCE = 30000; // ms after which it says that no answer has come

let views = 0;

// Questions: one is on its way at a time; while it is, only the newest of those that follow is kept.
class Asker {
  constructor(model, tell) {
    this.model = model;
    this.tell = tell;
    this.own = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}-${++views}`;
    this.count = 0;
    this.waiting = null;
    this.next = null;
  }

  ask(question) {
    if (this.waiting) {
      this.next = question;
      return;
    }
    this.waiting = { ...question, number: `${this.own}-${++this.count}` };
    this.timer = setTimeout(() => this.giveUp(), PATIENCE);
    this.model.set("question", this.waiting);
    this.model.save_changes();
  }

  // A part of an answer has come: whether it ends what this view waits for.
  hear(part, name) {
    if (!this.waiting || part.number !== this.waiting.number) return;
    if (name === "answer" && this.waiting.explain && !part.error) return; // its board is still to come
    this.proceed();
  }

  proceed() {
    this.waiting = null;
    clearTimeout(this.timer);
    const next = this.next;
    this.next = null;
    if (next) this.ask(next);
  }

  // A kernel that was started again never answers: whoever changes something may ask once more.
  giveUp() {
    this.tell("No answer yet: is the kernel busy, or has it stopped?");
    this.proceed();
  }

  close() {
    clearTimeout(this.timer);
  }
}

class View {
  constructor(model, el) {
    this.model = model;
    this.history = [];
    this.changes = { ...model.get("changes") };
    this.row = model.get("row");
    this.asker = new Asker(model, (text) => this.tell(text, false));
    this.build(el);
    this.showAnswer(model.get("answer"));
    this.showBoard(model.get("board"));
  }

  build(el) {
    const many = { type: "number", min: 0, max: this.model.get("rows") - 1, step: 1, "aria-label": "row" };
    this.rowBox = make("input", { ...many, onchange: () => this.go(this.rowBox.valueAsNumber) });
    this.undoButton = make("button", { type: "button", text: "Undo", onclick: () => this.undo() });
    this.resetButton = make("button", { type: "button", text: "Reset", onclick: () => this.apply({}, true) });
    this.label = make("strong", { class: "outcome" });
    this.sure = make("span", { class: "certainty" });
    this.was = make("span", { class: "faded earlier" });
    this.status = make("span", { class: "faded doing" });
    const of = make("span", { class: "faded", text: `of ${this.model.get("rows").toLocaleString("en")}, from 0` });
    const row = make("label", {}, "Row ", this.rowBox, " ", of);
    const said = make("div", { class: "prediction", role: "status" }, this.label, " ", this.sure, " ", this.was);
    const tools = make("div", { class: "tools" }, row, said, this.undoButton, this.resetButton, this.status);
    this.error = make("p", { class: "error", role: "alert", hidden: "" });
    this.fields = make("div", { class: "fields", role: "group", "aria-label": "Values of this row" });
    this.board = make("div", { class: "board" });
    this.lines = new Map(this.model.get("features").map((feature, place) => this.buildLine(feature, place)));
    this.root = make("div", { class: "lormika whatif" }, tools, this.error, this.fields, this.board);
    el.append(this.root);
  }

  buildLine(feature, place) {
    const change = (value, moving = false) => this.change(feature.name, value, moving);
    const control = makeControl(feature, feature.label, change, `lormika-${this.asker.own}-${place}`);
    const back = make("button", { type: "button", class: "back", onclick: () => this.restore(feature.name) });
    const pieces = feature.label.split(/(?<=[_.\-/])/).flatMap((piece) => [piece, make("wbr")]); // where lines may break
    const name = make("bdi", { class: "feature" }, ...pieces);
    const line = make("div", { class: "field" }, name, make("span", { class: "control" }, ...control.parts), back);
    this.fields.append(line);
    return [feature.name, { control, back, line, label: feature.label }];
  }

  // A slider that moves is one step to undo, and asks for the rules only when it rests.
  change(name, value, moving) {
    if (!(moving && this.moving === name)) this.remember();
    this.moving = moving ? name : null;
    this.changes = { ...this.changes, [name]: value };
    this.ask(!moving);
  }

  restore(name) {
    const { [name]: _, ...others } = this.changes;
    this.apply(others, true);
  }

  apply(changes, instead = false) {
    this.remember();
    this.changes = instead ? changes : { ...this.changes, ...changes };
    this.ask(true);
  }

  remember() {
    this.history.push(this.changes);
    this.moving = null;
  }

  undo() {
    if (!this.history.length) return;
    this.changes = this.history.pop();
    this.moving = null;
    this.ask(true);
  }

  go(row) {
    if (!Number.isInteger(row)) return;
    this.history = [];
    this.row = row;
    this.changes = {};
    this.ask(true);
  }

  ask(explain) {
    clearTimeout(this.pause);
    if (!explain) this.pause = setTimeout(() => this.rest(), PAUSE);
    this.undoButton.disabled = !this.history.length;
    this.tell("asking the model …", true);
    this.asker.ask({ row: this.row, changes: this.changes, explain });
  }

  rest() {
    this.moving = null;
    this.ask(true);
  }

  tell(text, busy) {
    this.status.textContent = text;
    this.board.setAttribute("aria-busy", String(busy));
  }

  fail(text) {
    this.error.textContent = text ?? "";
    this.error.hidden = !text;
  }

  hear(name) {
    const part = this.model.get(name);
    const own = this.asker.waiting && part.number === this.asker.waiting.number;
    this.asker.hear(part, name);
    const newer = this.asker.waiting && part.number !== this.asker.waiting.number; // then the controls are ahead
    if (own || !this.asker.waiting) this.fail(part.error);
    if (name === "answer" && !part.error) this.showAnswer(part, newer);
    if (name === "board" && !part.error) this.showBoard(part);
    if (!this.asker.waiting && !this.moving) this.tell("", false);
  }

  showAnswer(answer, newer = false) {
    this.label.textContent = answer.text;
    this.sure.textContent = answer.certainty_text ?? "";
    const before = [answer.before.text, answer.before.certainty_text].filter((one) => one !== null).join(" ");
    this.was.textContent = answer.changed.length ? `before: ${before}` : "";
    if (newer) return;
    this.row = answer.row;
    this.changes = Object.fromEntries(answer.changed.map((name) => [name, answer.values[name]]));
    if (Number(this.rowBox.value) !== answer.row || this.rowBox.value === "") this.rowBox.value = String(answer.row);
    for (const [name, { control, back, line }] of this.lines) {
      const changed = answer.changed.includes(name);
      control.show(answer.values[name], answer.texts[name]);
      line.classList.toggle("changed", changed);
      back.hidden = !changed;
      back.textContent = changed ? `was ${answer.own_texts[name]}` : "";
      back.setAttribute("aria-label", `${this.lines.get(name).label}: back to ${answer.own_texts[name]}`);
    }
    this.undoButton.disabled = !this.history.length;
    this.resetButton.disabled = !answer.changed.length;
  }

  showBoard(board) {
    this.board.innerHTML = board.html;
    this.board.querySelectorAll("li.rule").forEach((rule, place) => {
      const changes = board.changes[place];
      if (!changes) return;
      const apply = make("button", { type: "button", class: "apply", text: "Apply", onclick: () => this.apply(changes) });
      apply.setAttribute("aria-label", `Apply: ${rule.querySelector(".unseen").textContent}`);
      rule.querySelector(".answer").append(apply);
    });
  }

  close() {
    clearTimeout(this.pause);
    this.asker.close();
  }
}

function render({ model, el }) {
  const view = new View(model, el);
  const heard = ["answer", "board"].map((name) => [`change:${name}`, () => view.hear(name)]);
  heard.forEach(([event, hear]) => model.on(event, hear));
  return () => {
    heard.forEach(([event, hear]) => model.off(event, hear));
    view.close();
  };
}

export default { render };
