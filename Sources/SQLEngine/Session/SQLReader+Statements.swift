package import ORMStorage

extension SQLReader: CountingReader {
  package final var rowsRead: Int { session.tally?.rows ?? 0 }

  package final var trips: Int? { session.tripCounting?.tripCount }
}

extension SQLReader: StatementReader {
  package final func statement(for shape: FetchShape) -> String? {
    (try? session.fetch(shape))?.plan.query.sql
  }

  package final func statement(for put: PutRequest) -> String? {
    guard let prepared = try? session.put(put), case .direct(let direct) = prepared.plan else {
      return nil
    }
    return direct.query.sql
  }
}
