"use strict";

// Asks the interface under /api/ about one row, and shows the board that it answers.

const state = document.getElementById("state");

async function ask(address, body) {
  const options = body === undefined ? {} : {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  };
  const response = await fetch(address, options);
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error.message);
  return response.status === 202 ? ask(`/api/jobs/${answer.job}?wait=20`) : answer;
}

async function explain(row) {
  state.textContent = "Asking the model …";
  try {
    const answer = await ask("/api/explain", { case: { row } });
    document.getElementById("board").innerHTML = answer.board; // escaped by the server
    state.textContent = "";
  } catch (error) {
    state.textContent = error.message;
  }
}

document.getElementById("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  explain(Number(document.getElementById("row").value));
});

ask("/api/description").then((description) => {
  document.title = `${description.data.name} · lormika`;
  document.getElementById("row").value = description.start.row;
  return explain(description.start.row);
}).catch((error) => { state.textContent = error.message; });
