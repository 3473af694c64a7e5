internal import ORMCore

/// A value that was fetched for an observation.
struct ObservedFetch<Value: Sendable>: Sendable {
  let value: Value
  /// The number of the newest commit that the snapshot has.
  let number: UInt64
  let footprint: ReadFootprint
  let digest: ReadDigest
}

extension Store {
  /// Fetches a value for an observation, and records the reads on which the value depends.
  func observed<Value: Sendable>(
    _ question: ObservedQuestion<Value>, _ cancellation: FetchCancellation,
    in admission: TransactionScheduler.Admission
  ) throws -> ObservedFetch<Value> {
    guard case .outer(let block) = admission else {
      throw StoreError(.transactionEnded, "an observation reads outside of other blocks")
    }
    try cancellation.check()
    let collector = try ReadCollector(self, wantsKeys: question.wantsKeys, cancellation)
    var opened: LayeredReader?
    var number: UInt64 = 0
    try runtime.transactions.notices.betweenCommits { newest in
      opened = try reported(observedReader(collector), in: block)
      number = newest
    }
    guard let opened else { throw StoreError(.engine, "no reader was opened") }
    defer { opened.reader.end() }
    let transaction = ReadTransaction(
      store: self, reader: opened.reader, engine: opened.engine, block: block)
    block.current = transaction
    let value = try collector.collecting { try question.fetch(transaction) }
    return ObservedFetch(
      value: value, number: number, footprint: collector.footprint, digest: collector.digest)
  }

  /// A reader that reports its reads to a collector.
  private func observedReader(_ collector: ReadCollector) throws -> LayeredReader {
    let reader: any StoreReader
    if let layers = try layers() {
      reader = try layers.reader(of: self) { FootprintReader($0, collector) }.reader
    } else {
      reader = FootprintReader(try self.reader(ReadTurn()), collector)
    }
    let digesting = DigestReader(reader, collector)
    // Finds by key go through it too, even those that could leave layers out.
    return LayeredReader(reader: digesting, engine: digesting)
  }
}
