import ORMCore
import ORMPlatform

// A process for tests to kill, starve or fork: `CrashHelper <engine> <command> <path> [argument…]`;
// with the engine `store`, the path is a location such as `sqlite:path`.
// It reports how far it is in lines on the standard output, and last "ok" or the code of an error.

/// Reports a line at once: nothing is held back when the process is killed.
func report(_ items: Any...) {
  let line = items.map { "\($0)" }.joined(separator: " ") + "\n"
  _ = line.withCString { write(1, $0, strlen($0)) }
}

func run(_ arguments: [String]) throws {
  guard arguments.count >= 3 else {
    throw StoreError(.invalidCondition, "CrashHelper <engine> <command> <path> [argument…]")
  }
  let rest = Array(arguments.dropFirst(3))
  switch arguments[0] {
  case "lmdb": try LMDBCommands.run(arguments[1], arguments[2], rest)
  case "store": try StoreCommands.run(arguments[1], arguments[2], rest)
  default: throw StoreError(.invalidCondition, "There is no engine \(arguments[0]).")
  }
}

do {
  try run(Array(CommandLine.arguments.dropFirst()))
  report("ok")
} catch let error as StoreError {
  _ = "\(error)\n".withCString { write(2, $0, strlen($0)) }
  report(error.code.rawValue)
} catch {
  report(error)
}
