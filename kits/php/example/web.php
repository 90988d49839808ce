<?php

// A checkout of two pages on Laravel, as routes/web.php (docs/stacks/laravel.md).

use Baton\Kit\{FenceGuard, Say, StaleFence};
use Illuminate\Http\Request;
use Illuminate\Support\Facades\{DB, Route};

Route::get('/buy', fn () => '<form method="post">' . csrf_field() . '<button name="seat" value="4-12">Seat 4-12</button></form>');
Route::post('/buy', function (Request $request) {
    try {
        DB::transaction(function () use ($request) {
            (new FenceGuard(DB::getPdo()))->hold($request->attributes->get('baton'), "seat:{$request->input('seat')}");
            // your own reservation, in the same transaction
        });
    } catch (StaleFence) {
        return response('This tab is out of date. Please look at your seats anew.', 409);
    }
    return redirect('/buy/done');
});
Route::get('/buy/done', fn () => response('Thank you.')->header(...Say::release()));
