internal import ORMCore

/// An iteration over changes; its listener goes with it.
final class ChangeIteration: Sendable {
  private struct Begun {
    let buffer: ChangeBuffer
    let observation: ChangeObservation
    /// The reader of the history; nil in a store without one.
    let history: HistoryReader?
  }

  private struct Position {
    /// Sets of the history that were read and not returned, the next last.
    var old: [ChangeSet] = []
    /// The number of the last commit that was returned, or read from the history.
    var last: UInt64 = 0
    /// True if the history may have more commits than were read.
    var isBehind = false
    /// The token that was asked for, until it is checked.
    var token: HistoryToken?
  }

  private let begun: Result<Begun, any Error>
  private let position: Lock<Position>

  init(_ stream: ChangeStream) {
    let token = stream.token
    position = Lock(Position(isBehind: token != nil, token: token))
    begun = Result {
      let schema = try stream.store.recordedSchema()
      let question = HistoryQuestion(of: stream.models, level: stream.level, in: schema)
      let history = try stream.store.historyReader(question)
      if token != nil, history == nil { throw StoreHistory.off }
      let buffer = ChangeBuffer(everything: history == nil ? schema.unknown(question.names) : nil)
      let observation = try stream.store.observeChanges(
        of: stream.models, level: stream.level, onEnd: { [weak buffer] in buffer?.end() }
      ) { [weak buffer] in buffer?.add($0) }
      return Begun(buffer: buffer, observation: observation, history: history)
    }
    if case .success(let begun) = begun {
      position.withLock { $0.last = token?.number ?? begun.observation.firstNumber }
    }
  }

  func next(isolation actor: isolated (any Actor)?) async throws -> ChangeSet? {
    let begun = try begun.get()
    while true {
      if let set = position.withLock({ $0.old.popLast() }) { return set }
      if let history = begun.history, position.withLock({ $0.isBehind }) {
        do {
          if let set = try await catchUp(history, isolation: actor) { return set }
          continue
        } catch let error as StoreError where error.code == .closed {
          // The store was closed after the iteration began; its listeners may end a little later.
          begun.observation.cancel()
          return nil
        }
      }
      switch await begun.buffer.next(isolation: actor) {
      case .behind: position.withLock { $0.isBehind = true }
      case .ended:
        begun.observation.cancel()
        return nil
      case .set(let set):
        // Without a token, the history was ended meanwhile.
        if begun.history == nil || set.commit.token == nil { return set }
        let isNew = position.withLock { position in
          guard set.commit.number > position.last else { return false }
          position.last = set.commit.number
          return true
        }
        if isNew { return set }
      }
    }
  }

  /// Reads some commits of the history; returns a set that reports everything if they were removed.
  private func catchUp(
    _ history: HistoryReader, isolation actor: isolated (any Actor)?
  ) async throws -> ChangeSet? {
    let (last, token) = position.withLock { ($0.last, $0.token) }
    let part = try await history.part(after: last, token: token, isolation: actor)
    return position.withLock { position in
      position.token = nil
      position.last = part.last
      position.isBehind = part.hasMore
      position.old = part.sets.reversed()
      return position.old.popLast()
    }
  }
}
