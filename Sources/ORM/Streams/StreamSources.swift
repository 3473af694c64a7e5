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
      read: { store, reader, cursor, size in
        var visitor = ModelCollector<Element>(try store.plan(of: Element.self))
        visitor.batch = size
        let hasMore = try cursor.visit(&visitor)
        return (
          try ReadTransaction.prefetching(
            query.prefetches, of: visitor.rows, store: store, reader: reader,
            deleted: query.deleted), hasMore
        )
      }, entity: Element.entity.description.name)
  }
}

extension StreamFeed.Source {
  /// Makes the source of the rows of a projection or of groups.
  static func rows<Question: ResultQuery>(of question: Question) -> Self
  where Question.Row == Element {
    Self(
      request: { store in try ResultPlan(question, in: store).request },
      read: { store, _, cursor, size in
        let plan = try ResultPlan(question, in: store)
        return try plan.rows(of: cursor, size, by: plan.source.decoder)
      }, entity: Question.Model.entity.description.name)
  }
}

extension ResultPlan {
  /// Reads at most `size` rows from a cursor, and says if there are more.
  fileprivate func rows<Decoder: ResultDecoder>(
    of cursor: any StoreCursor, _ size: Int, by decoder: Decoder
  ) throws -> (rows: [Row], hasMore: Bool) where Decoder.Row == Row {
    var collector = try collector(decoder)
    collector.batch = size
    let hasMore = try cursor.visit(&collector)
    return (collector.rows, hasMore)
  }
}
