// Elements, and a control for each kind of feature. It stands before `whatif.js`, in the same module: a widget has only one.

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") element.textContent = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

// Controls: each shows a value, and tells of another. `show` is told the value and its text.
function numberControl(feature, name, change) {
  const step = feature.whole ? 1 : "any";
  const box = make("input", { type: "number", step, "aria-label": name });
  box.addEventListener("change", () => box.value !== "" && change(box.valueAsNumber));
  const parts = [box];
  let slider = null;
  if (feature.least !== null && feature.least < feature.greatest) {
    const range = { min: feature.least, max: feature.greatest, step: feature.step };
    slider = make("input", { type: "range", ...range, "aria-label": `${name}, slider` });
    slider.addEventListener("input", () => {
      box.value = slider.value;
      change(slider.valueAsNumber, true);
    });
    parts.unshift(slider);
  }
  let last = null;
  const back = () => change(last ?? (slider ? slider.valueAsNumber : (feature.least ?? 0)));
  const missing = missingBox(feature, name, change, back);
  if (missing) parts.push(missing.label);
  if (feature.unit) parts.push(make("span", { class: "faded", text: feature.unit }));
  return {
    parts,
    show(value) {
      last = value ?? last;
      if (missing) missing.box.checked = value === null;
      if (value === null) box.value = "";
      else if (box.value === "" || Number(box.value) !== value) box.value = String(value);
      if (slider && value !== null && Number(slider.value) !== value) {
        slider.min = Math.min(feature.least, value);
        slider.max = Math.max(feature.greatest, value);
        slider.value = String(value);
      }
    },
  };
}

function missingBox(feature, name, change, back) {
  if (!feature.may_be_missing) return null;
  const box = make("input", { type: "checkbox", "aria-label": `${name} is missing` });
  box.addEventListener("change", () => (box.checked ? change(null) : back()));
  return { box, label: make("label", { class: "faded" }, box, " missing") };
}

function listControl(feature, name, change) {
  const values = feature.categories.map((one) => one.value);
  const select = make("select", { "aria-label": name });
  const add = (text) => select.append(make("option", { value: select.options.length, text }));
  feature.categories.forEach((one) => add(one.text));
  const find = (value, text) => {
    let place = values.indexOf(value);
    if (place < 0) {
      place = values.push(value) - 1;
      add(text);
    }
    return place;
  };
  if (feature.may_be_missing) find(null, "missing");
  select.addEventListener("change", () => change(values[Number(select.value)]));
  return { parts: [select], show: (value, text) => (select.value = String(find(value, value === null ? "missing" : text))) };
}

// Of many categories, the most frequent are suggested, and any other can be written.
function searchControl(feature, name, change, id) {
  const list = make("datalist", { id }, ...feature.categories.map((one) => make("option", { value: one.text })));
  const box = make("input", { type: "text", list: id, "aria-label": name, placeholder: `${feature.distinct} categories` });
  const known = new Map(feature.categories.map((one) => [one.text, one.value]));
  const tell = () => change(known.has(box.value) ? known.get(box.value) : box.value);
  let last = feature.categories[0].value;
  box.addEventListener("change", () => box.value !== "" && tell());
  const missing = missingBox(feature, name, change, () => change(last));
  return {
    parts: [box, list, ...(missing ? [missing.label] : [])],
    show(value) {
      last = value ?? last;
      if (missing) missing.box.checked = value === null;
      const listed = feature.categories.find((one) => one.value === value);
      box.value = value === null ? "" : listed ? listed.text : String(value);
    },
  };
}

function makeControl(feature, name, change, id) {
  if (feature.kind === "number") return numberControl(feature, name, change);
  return feature.distinct > feature.categories.length
    ? searchControl(feature, name, change, id)
    : listControl(feature, name, change);
}
