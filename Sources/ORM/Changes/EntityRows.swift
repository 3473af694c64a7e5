internal import ORMCore

/// The changed rows of an entity in a commit.
///
/// Those of a log are made when they are first read, so that a listener pays for no more than it reads.
struct EntityRows: Sendable {
  private enum Source {
    case made([RowChange])
    case logged(LoggedRows)
  }

  private let source: Source

  init(_ rows: [RowChange]) { source = .made(rows) }

  /// Takes the changes of a log as rows, at the log's level.
  ///
  /// - Parameter log: a log of which ``RowLog/isNet`` is true.
  init(_ log: RowLog) { source = .logged(LoggedRows(log, level: log.level)) }

  private init(_ rows: LoggedRows) { source = .logged(rows) }

  /// The rows in the order of their keys.
  var all: [RowChange] {
    switch source {
    case .made(let rows): rows
    case .logged(let rows): rows.all
    }
  }

  /// The same rows in less detail.
  func narrowed(to level: ChangeLevel) -> EntityRows {
    switch source {
    case _ where level == .entities: EntityRows([])
    case .made(let rows): level == .values ? self : EntityRows(rows.map { $0.narrowed(to: level) })
    case .logged(let rows): EntityRows(rows.narrowed(to: level))
    }
  }
}

extension EntityRows: Hashable {
  static func == (a: EntityRows, b: EntityRows) -> Bool { a.all == b.all }

  func hash(into hasher: inout Hasher) { hasher.combine(all) }
}

extension EntityRows: CustomStringConvertible {
  var description: String { all.description }
}

/// The rows of a log, made once.
private final class LoggedRows: Sendable {
  private enum State {
    case log(RowLog)
    case made([RowChange])
  }

  private let level: ChangeLevel
  private let state: Lock<State>

  init(_ log: RowLog, level: ChangeLevel) {
    self.level = level
    state = Lock(.log(log))
  }

  private init(_ rows: [RowChange], level: ChangeLevel) {
    self.level = level
    state = Lock(.made(rows))
  }

  var all: [RowChange] {
    state.withLock { state in
      switch state {
      case .made(let rows): return rows
      case .log(let log):
        var rows: [RowChange] = []
        rows.reserveCapacity(log.entries.count)
        log.forEachChange(at: level) { rows.append($1) }
        state = .made(rows)
        return rows
      }
    }
  }

  func narrowed(to level: ChangeLevel) -> LoggedRows {
    if level >= self.level { return self }
    switch state.withLock({ $0 }) {
    case .log(let log): return LoggedRows(log, level: level)
    case .made(let rows): return LoggedRows(rows.map { $0.narrowed(to: level) }, level: level)
    }
  }
}
