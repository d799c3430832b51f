"""Child processes: started, talked to until a deadline, described when they die, and reliably ended.

`Child` is the parent's side, `Line` that of a child which can import this package. One that cannot, such as a script
run by another interpreter, needs to know only this:

- A message is two lengths, each an unsigned integer of eight bytes with the highest first; then a JSON object as UTF-8,
  as long as the first length says; then as many other bytes as the second one says, often none.
- Messages arrive on standard input and are sent on standard output. So code that the child runs should print
  elsewhere. No more messages will come once standard input ends.
- On Linux and macOS one more descriptor is open, the lifeline. Leave it alone: once the parent is gone, however it
  ended, the child and its whole process group are killed, even if they block all signals or are busy. That is done by
  the kernel on Linux, and by a watching process on macOS; on Windows, by the job object to which the child belongs.
- What the child sends only ever becomes plain data: JSON and bytes.
"""

from lormika.processes.child import Child, LostError, wait_for_any
from lormika.processes.messages import BrokenMessageError, Line, Message, leave_for_memory

__all__ = ["BrokenMessageError", "Child", "Line", "LostError", "Message", "leave_for_memory", "wait_for_any"]
