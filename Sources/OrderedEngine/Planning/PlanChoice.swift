internal import ORMStorage

extension PreparedRequest {
  /// Returns the plan of a shape that costs least for the values of one request.
  ///
  /// The first stays unless another costs clearly less, since the statistics of rows are inexact.
  func chosen(
    for request: FetchRequest, _ statistics: any PlanStatistics
  ) throws -> PreparedRequest {
    if alternatives.isEmpty { return self }
    // Of few rows any plan is good, and none is worth the weighing.
    if try statistics.rowCount() < Double(RowThreshold.weighedPlans.rows) { return self }
    let page = PageWindow(request)
    let cost = PlanCost(
      entity: entity, bindings: request.bindings, needed: Double(page.needed),
      passed: Double(page.offset), statistics: statistics)
    var best = self
    var least = try cost.estimate(self).cost * 0.8
    for other in alternatives {
      let estimate = try cost.estimate(other).cost
      if estimate < least {
        best = other
        least = estimate
      }
    }
    return best
  }
}
