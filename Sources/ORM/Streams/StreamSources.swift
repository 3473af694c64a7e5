internal import ORMCore

extension StreamFeed.Source where Element: Persistable {
  /// Makes the source of a query's models.
  static func models(of query: Query<Element>) -> Self {
    Self(
      request: { store in
        let plan = try store.plan(of: Element.self)
        try query.prefetches.check(for: Element.self)
        return try query.request(by: plan.lowering)
      },
      read: { store, reader, cursor, size, batch in
        var visitor = ModelCollector<Element>(try store.plan(of: Element.self))
        visitor.batch = size
        swap(&visitor.rows, &batch)
        let hasMore = try cursor.visit(&visitor)
        swap(&visitor.rows, &batch)
        if !query.prefetches.isEmpty {
          batch = try ReadTransaction.prefetching(
            query.prefetches, of: batch, store: store, reader: reader, deleted: query.deleted)
        }
        return hasMore
      }, entity: Element.entity.description.name)
  }
}

extension StreamFeed.Source {
  /// Makes the source of the rows of a projection or of groups.
  static func rows<Question: ResultQuery>(of question: Question) -> Self
  where Question.Row == Element {
    Self(
      request: { store in try ResultPlan(question, in: store).request },
      read: { store, _, cursor, size, batch in
        let plan = try ResultPlan(question, in: store)
        return try plan.read(cursor, size, &batch, by: plan.source.decoder)
      }, entity: Question.Model.entity.description.name)
  }
}

extension ResultPlan {
  /// Reads at most `size` rows from a cursor into an empty array, and says if there are more.
  fileprivate func read<Decoder: ResultDecoder>(
    _ cursor: any StoreCursor, _ size: Int, _ rows: inout [Row], by decoder: Decoder
  ) throws -> Bool where Decoder.Row == Row {
    var collector = try collector(decoder)
    collector.batch = size
    swap(&collector.rows, &rows)
    let hasMore = try cursor.visit(&collector)
    swap(&collector.rows, &rows)
    return hasMore
  }
}
